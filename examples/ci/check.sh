#!/bin/sh
# What a change does to the tools that agents find: can every spec be read, does the reviewed text
# still hold, is it found as often as it has to be?
#
#   check.sh [SPECS…]        files and folders; without any, the services of gloss.toml
#
#   TEXT=gloss.jsonl         reviewed text, as `gloss export` writes it; left out where not there
#   SUITE=intents.jsonl      cases; left out where not there
#   MIN_HIT1=0.8             how often the right tool has to be first
#   ENRICH=crm,hr            draft text for what has none, and say how much waits for review
#   STRICT=1                 fail on skipped operations, proposals and a TEXT that is behind, too
#
# Exit code: 0 good, else that of the first gate that failed: 5 a spec cannot be read (1 where none
# can), or text was refused; 1 hit@1 is too low; 3 text waits for review; 2 wrong usage.
# The catalog is made in a temporary folder: a pull request touches no shared one.
set -u

TEXT=${TEXT-gloss.jsonl} SUITE=${SUITE-intents.jsonl} MIN_HIT1=${MIN_HIT1-0.8}
ENRICH=${ENRICH-} STRICT=${STRICT-}
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd) || exit 2
work=$(mktemp -d) || exit 2
worst=0
unread='any(.sources[]; .service == null and any(.problems[]; .level == "error"))'

say() { printf '%s\n' "== $*" >&2; }

fail() { # the first gate that fails gives the exit code
    if [ "$worst" -eq 0 ]; then worst=$1; fi
}

judge() { # CODE WHAT [TOLERATED]: a code that is tolerated counts only with STRICT
    if [ "$1" -eq 0 ]; then return; fi
    if [ "$1" -eq "${3:-0}" ] && [ -z "$STRICT" ]; then return; fi
    say "failed: $2 (exit code $1)"
    fail "$1"
}

annotate() { # FILE KIND: its faults, as the forge or a person reads them
    jq -r --arg kind "$2" --arg root "$PWD/" --arg forge "${GITHUB_ACTIONS-}" --arg suite "$SUITE" \
        --arg min "$MIN_HIT1" --rawfile cases "$cases" -f "$here/annotations.jq" "$1"
}

clean() {
    GLOSS_CONFIG=$work/empty.toml GLOSS_DATABASE_URL='' gloss db stop >/dev/null 2>&1
    rm -rf "$work"
}

start() { # a server of our own, whatever gloss.toml says
    : >"$work/empty.toml"
    export GLOSS_DATA_DIR="$work/data"
    GLOSS_CONFIG=$work/empty.toml GLOSS_DATABASE_URL='' gloss db start >/dev/null || return
    GLOSS_DATABASE_URL=$(GLOSS_CONFIG=$work/empty.toml GLOSS_DATABASE_URL='' gloss db url)
    export GLOSS_DATABASE_URL
}

trap clean EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
start || exit
if [ -f "$SUITE" ]; then cases=$SUITE; else cases=/dev/null; fi

say "reading specs"
gloss ingest --strict --json "$@" >"$work/ingest.json" 2>"$work/ingest.log"
code=$?
if [ -s "$work/ingest.json" ]; then annotate "$work/ingest.json" ingest; else cat "$work/ingest.log" >&2; fi
if jq -e "$unread" "$work/ingest.json" >/dev/null 2>&1; then
    judge "$code" "a spec cannot be read"
fi
judge "$code" "operations were skipped" 5

if [ -f "$TEXT" ]; then
    say "taking in $TEXT"
    gloss import "$TEXT" --yes --json >"$work/import.json"
    code=$?
    if [ -s "$work/import.json" ]; then annotate "$work/import.json" import; fi
    judge "$code" "text of $TEXT was refused"
    gloss export --check "$TEXT"
    judge "$?" "$TEXT is behind" 3
fi

if [ -n "$ENRICH" ]; then
    say "drafting text for what has none"
    (
        IFS=,
        gloss opt-in $ENRICH && gloss enrich $ENRICH >/dev/null
    )
    gloss diff --exit-code >"$work/proposals.diff"
    code=$?
    cat "$work/proposals.diff"
    judge "$code" "text waits for review" 3
fi

if [ -f "$SUITE" ]; then
    say "asking $SUITE"
    gloss index && gloss eval "$SUITE" --min-hit1 "$MIN_HIT1" --worst 10 --json >"$work/eval.json"
    code=$?
    if [ -s "$work/eval.json" ]; then
        annotate "$work/eval.json" eval
        judge "$code" "hit@1 is below $MIN_HIT1"
    else
        judge "$code" "$SUITE could not be asked"
    fi
fi
exit "$worst"
