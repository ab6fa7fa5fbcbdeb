"""The tab key: names from the catalog, and never a word of anything else."""

import pytest


def completed(gloss, words, env=None):
    """What bash is offered for the last of `words`."""
    asked = {
        "_GLOSS_COMPLETE": "complete_bash",
        "COMP_WORDS": f"gloss {words}",
        "COMP_CWORD": str(len(words.split(" "))),
    }
    done = gloss.process(env={**asked, **(env or {})})
    assert done.stderr == ""
    return done.split()


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("tools ", ["billing", "crm", "hr", "inventory"]),
        ("search x --service i", ["inventory"]),
        ("index c", ["crm"]),
        ("opt-in b", ["billing"]),
        ("show ", ["billing/", "crm/", "hr/", "inventory/"]),
        ("show crm/getProcInfo", [f"crm/getProcInfo{n}" for n in "3457"]),
        ("apply crm/getProcInfo3", ["crm/getProcInfo3"]),
        ("show nope", []),
        ("tools %", []),
    ],
)
def test_names_come_from_the_catalog(samples, words, offered):
    assert completed(samples, words) == offered


def test_the_tools_of_the_only_service_left(samples):
    assert set(completed(samples, "diff h")) > {"hr", "hr/x17"}


@pytest.mark.parametrize(
    "env",
    [
        {"GLOSS_DATABASE_URL": "postgresql://gloss@127.0.0.1:9/gloss"},
        {"GLOSS_DATABASE_URL": "garbage"},
        {"GLOSS_CONFIG": "/no/such/file"},
    ],
    ids=["down", "garbage", "no settings"],
)
def test_what_is_wrong_is_kept_from_the_shell(gloss, env):
    assert completed(gloss, "tools ", env) == []


def test_no_database_is_made_for_it(gloss, tmp_path):
    place = tmp_path / "nothing"

    assert (
        completed(gloss, "tools ", {"GLOSS_DATABASE_URL": "", "GLOSS_DATA_DIR": str(place)}) == []
    )
    assert not place.exists()


@pytest.mark.parametrize(("shell", "word"), [("bash", "-F"), ("zsh", "compdef"), ("fish", "--no-")])
def test_the_script_is_that_of_the_shell_named(gloss, shell, word):
    done = gloss("--show-completion", shell)

    assert done.exit_code == 0
    assert word in done


def test_an_unknown_shell_is_a_usage_error(gloss):
    assert gloss("--show-completion", "ksh").exit_code == 2


def test_installing_writes_below_home(gloss, tmp_path):
    done = gloss.process("--install-completion", "bash")

    assert done.exit_code == 0, done.stderr
    assert "_GLOSS_COMPLETE" in (tmp_path / ".bash_completions" / "gloss.sh").read_text()
