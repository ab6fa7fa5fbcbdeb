"""The tab key of bash, zsh and fish: a script for each, which asks `gloss` what could come next.

Not typer's own: its zsh script does nothing on the first press and loses apostrophes, its fish
script starts two processes a press, and none of the three knows `--option=`.
"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path

COMPLETE = "_GLOSS_COMPLETE"  # what the scripts set when they ask


class Shell(StrEnum):
    bash = "bash"
    zsh = "zsh"
    fish = "fish"


_ASK = (
    f"env {COMPLETE}=complete_fish _TYPER_COMPLETE_FISH_ACTION=get-args _TYPER_COMPLETE_ARGS=%s %s"
)

_BASH = f"""\
_gloss_completion() {{
    local IFS=$'\\n'
    COMPREPLY=( $( {_ASK % ('"${COMP_LINE:0:COMP_POINT}"', '"$1"')} 2>/dev/null | cut -f1 ) )
}}
complete -o default -F _gloss_completion gloss
"""

_ZSH = f"""\
#compdef gloss
_gloss() {{
    local line value help
    local -a lines found
    lines=("${{(@f)$({_ASK % ('"${words[1,CURRENT]}"', "gloss")} 2>/dev/null)}}")
    for line in ${{lines:#}}; do
        value=${{line%%$'\\t'*}} help=${{line:${{#value}}+1}}
        found+=("${{value//:/\\\\:}}${{help:+:$help}}")
    done
    if [[ $PREFIX == --*=* ]]; then compset -P '*='; fi
    if (( $#found )); then _describe gloss found; else _files; fi
}}
if [[ ${{funcstack[1]}} == _gloss ]]; then _gloss "$@"; else compdef _gloss gloss; fi
"""

_FISH = f"""\
function __gloss_completed
    set -l token (commandline -ct)
    set -l option (string match -r -- '^--[^=]*=' $token; or echo)
    set -l found ({_ASK % ("(commandline -cp | string collect)", "gloss")} 2>/dev/null \
| string match -v '')
    if count $found >/dev/null
        printf '%s\\n' $option$found
    else
        __fish_complete_path $token
    end
end
complete --command gloss --no-files --arguments '(__gloss_completed)'
"""

SCRIPTS = {Shell.bash: _BASH, Shell.zsh: _ZSH, Shell.fish: _FISH}

_ZSH_START = "fpath+=~/.zfunc; autoload -Uz compinit; compinit"


def install(shell: Shell, home: Path) -> Path:
    """Write the script below `home`, and what reads it into the start-up file, once."""
    places = {
        Shell.bash: ".bash_completions/gloss.sh",
        Shell.zsh: ".zfunc/_gloss",
        Shell.fish: ".config/fish/completions/gloss.fish",
    }
    file = home / places[shell]
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(SCRIPTS[shell], encoding="utf-8")
    if shell is Shell.bash:
        _add_line(home / ".bashrc", f"source '{file}'")
    elif shell is Shell.zsh:
        _add_line(home / ".zshrc", _ZSH_START)
    return file


def _add_line(file: Path, line: str) -> None:
    there = file.read_bytes() if file.exists() else b""
    if line.encode() in there.splitlines():
        return
    gap = b"" if not there or there.endswith(b"\n") else b"\n"
    file.write_bytes(there + gap + line.encode() + b"\n")
