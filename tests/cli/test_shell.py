"""Pipes, closed streams, secrets, wrong settings: what a shell and cron do to a program."""

import json
import os
import re
import signal
import subprocess
import sys
from importlib.util import find_spec

import pytest

from tests.cli.conftest import ROOT
from tests.cli.test_ingest import GOOD as BINS


def started(gloss, *words, **streams):
    return subprocess.Popen(
        [sys.executable, "-m", "cli", *words],
        cwd=gloss.folder,
        env=gloss.environment,
        stderr=subprocess.PIPE,
        **streams,
    )


def in_bash(gloss, script):
    return subprocess.run(
        ["bash", "-c", script.replace("gloss", f"{sys.executable} -m cli")],
        capture_output=True,
        text=True,
        check=False,
        cwd=gloss.folder,
        env=gloss.environment,
    )


@pytest.mark.parametrize("words", [("services",), ("tools", "--json", "--schemas")], ids=" ".join)
def test_a_reader_that_goes_away_is_no_error(samples, words):
    running = started(samples, *words, stdout=subprocess.PIPE)
    running.stdout.close()

    assert running.communicate()[1] == b""
    assert running.returncode == 141


def test_a_closed_stdout_is_no_error(samples):
    done = in_bash(samples, "gloss tools >&-")

    assert (done.returncode, done.stderr) == (0, "")


def test_a_closed_stdin_is_an_empty_one(samples):
    done = in_bash(samples, "gloss search --stdin <&-")

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("words", ["tools", "tools --json", "--help"])
def test_a_full_disk_below_stdout_is_said(samples, words):
    done = in_bash(samples, f"gloss {words} > /dev/full")

    assert done.returncode == 1
    assert done.stderr == "error: the output: No space left on device\n"


def test_a_full_disk_below_stderr_stops_nothing(samples):
    done = in_bash(samples, "gloss search --stdin 2> /dev/full <<< qqxxzz")

    assert done.returncode == 0
    assert json.loads(done.stdout)["query"] == "qqxxzz"


def test_ctrl_c_says_that_it_was_heard(samples):
    running = started(
        samples, "search", "--stdin", stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
    )
    running.stdin.write(b"open invoices\n")
    running.stdout.readline()
    running.send_signal(signal.SIGINT)

    assert running.wait() == 130
    assert running.stderr.read() == b"error: interrupted; what was saved before stays\n"
    for stream in (running.stdin, running.stdout, running.stderr):
        stream.close()


def test_ctrl_c_while_the_commands_are_loaded_ends_quietly(gloss):
    gloss.write("typer.py", "import os, signal; os.kill(os.getpid(), signal.SIGINT)")

    done = gloss.process("tools")

    assert (done.exit_code, done, done.stderr) == (-signal.SIGINT, "", "")


def test_words_are_utf8_whatever_the_locale(samples):
    ascii_only = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}

    done = samples.process("search", "Größe", "--json", env=ascii_only)

    assert done.json["query"] == "Größe"


def test_words_that_are_no_text_are_searched_all_the_same(samples):
    done = samples("search", os.fsdecode(b"open \xff invoices"), "--json")

    assert done.json["query"] == "open \ufffd invoices"


def other_model(folder):
    """The packaged model under another name."""
    folder.mkdir(parents=True)
    builtin = ROOT / "search" / "models" / "builtin"
    for name in ("model.onnx", "tokenizer.json"):
        (folder / name).symlink_to(builtin / name)
    card = json.loads((builtin / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**card, "name": "other"}))
    return folder


def test_a_warning_is_said_once_however_many_queries(samples, tmp_path):
    queries = "open invoices\nlist payments\n"
    model = other_model(tmp_path / "model")

    done = samples("search", "--stdin", "--embedding-model", model, stdin=queries)

    assert done.stderr.count("another embedding model") == 1
    assert all("another embedding model" in line["notes"][0] for line in done.jsonl)


def model_of(gloss, *words, **options):
    checks = gloss("doctor", *words, "--json", **options).json["checks"]
    return next(check["found"] for check in checks if check["check"] == "embedding model")


def test_a_model_beside_the_settings_is_found_from_everywhere(gloss):
    gloss.write("bins.yaml", BINS)
    gloss("ingest", "bins.yaml")
    gloss.write("gloss.toml", '[embedding]\nmodel = "model"\n')
    other_model(gloss.folder / "model")
    gloss.folder = gloss.folder / "below"
    gloss.folder.mkdir()

    assert model_of(gloss) == "other"


def test_a_model_by_name_is_the_one_exported_before(gloss, tmp_path):
    gloss.write("bins.yaml", BINS)
    gloss("ingest", "bins.yaml")
    other_model(tmp_path / "place" / "models" / "some-model")
    named = {"GLOSS_DATA_DIR": str(tmp_path / "place"), "GLOSS_EMBEDDING_MODEL": "org/some-model"}

    assert model_of(gloss, env=named) == "other"


def test_a_model_folder_that_is_not_there_is_named(samples):
    for command in (("index",), ("search", "x")):
        done = samples(*command, "--embedding-model", "./no-such-folder")

        assert done.exit_code == 2
        assert "no embedding model at no-such-folder" in done.stderr


@pytest.mark.skipif(find_spec("sentence_transformers") is not None, reason="[models] is there")
def test_a_model_by_name_needs_the_extra(gloss):
    done = gloss("index", "--embedding-model", "some-model")

    assert done.exit_code == 1
    assert "apigloss[models]" in done.stderr


def test_the_password_of_the_database_is_shown_nowhere(gloss):
    address = "postgresql://gloss:s3cr3t-pass@127.0.0.1:9/gloss?connect_timeout=2"

    for words in (("tools",), ("db", "url"), ("db", "status"), ("doctor",)):
        done = gloss(*words, env={"GLOSS_DATABASE_URL": address, "GLOSS_DEBUG": "1"})

        assert "s3cr3t-pass" not in done + done.stderr


def test_a_database_that_is_down_is_try_later(gloss):
    done = gloss("tools", env={"GLOSS_DATABASE_URL": "postgresql://gloss@127.0.0.1:9/gloss"})

    assert done.exit_code == 75
    assert "127.0.0.1" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_wrong_database_address_is_a_usage_error(gloss):
    done = gloss("tools", env={"GLOSS_DATABASE_URL": "mysql://db/gloss"})

    assert done.exit_code == 2
    assert "Traceback" not in done.stderr


def test_a_misspelt_setting_is_named_with_the_right_one(gloss):
    gloss.write("gloss.toml", '[database]\nurll = "x"\n')

    done = gloss("tools")

    assert done.exit_code == 2
    assert "database.urll" in done.stderr
    assert "url" in done.stderr


def test_settings_are_found_upwards(gloss, tmp_path):
    gloss.write("gloss.toml", '[database]\nurl = "postgresql://gloss@127.0.0.1:9/gloss"\n')
    below = gloss.folder / "a" / "b"
    below.mkdir(parents=True)
    gloss.folder = below

    done = gloss("tools", env={"GLOSS_DATABASE_URL": ""})

    assert done.exit_code == 75


def test_init_writes_a_file_once(gloss):
    first = gloss("init")
    text = (gloss.folder / "gloss.toml").read_text()
    (gloss.folder / "gloss.toml").write_text(text + "# mine\n")
    second = gloss("init")

    assert first.exit_code == second.exit_code == 0
    assert "PostgreSQL" in first
    assert (gloss.folder / "gloss.toml").read_text().endswith("# mine\n")


def test_doctor_of_a_good_catalog(samples):
    done = samples("doctor", "--json")

    assert done.exit_code == 0, done
    assert {check["state"] for check in done.json["checks"]} == {"ok"}


def test_doctor_says_what_mends(gloss):
    done = gloss("doctor", "--json")

    checks = {check["check"]: check for check in done.json["checks"]}
    assert checks["catalog"]["mend"] == "gloss ingest specs/"


@pytest.mark.parametrize("command", ["start", "stop"])
def test_a_server_of_your_own_is_not_started_or_stopped(gloss, command):
    done = gloss("db", command)

    assert done.exit_code == 2
    assert "server of your own" in done.stderr


def test_an_unknown_command_suggests_a_near_one(gloss):
    done = gloss("serch", "x")

    assert done.exit_code == 2
    assert "search" in done.stderr


def test_a_bare_environment_is_enough(gloss):
    gloss.environment = {
        key: value for key, value in gloss.environment.items() if key != "HOME"
    } | {"PATH": os.defpath}

    assert gloss.process("tools").exit_code == 0


def test_a_folder_that_is_gone_is_said(gloss):
    done = in_bash(gloss, "mkdir gone && cd gone && rmdir ../gone && gloss services")

    assert done.returncode == 2
    assert "the working directory cannot be used: No such file or directory" in done.stderr


def test_a_home_where_we_may_not_look_has_no_settings(gloss):
    assert gloss("tools", env={"HOME": "/" + "x" * 300}).exit_code == 0


def test_a_file_that_the_system_refuses_is_no_fault_of_ours(gloss):
    (gloss.folder / "gloss.toml").symlink_to("no-such-folder/gloss.toml")

    done = gloss("init")

    assert done.exit_code == 1
    assert done.stderr == "error: gloss.toml: No such file or directory\n"


def test_a_wrong_choice_is_said_in_plain_words(gloss):
    done = gloss("tools", "--format", "xml")

    assert done.exit_code == 2
    assert "'--format': 'xml' is not one of" in done.stderr


def test_the_file_that_init_writes_is_right_when_uncommented(gloss):
    gloss("init")
    file = gloss.folder / "gloss.toml"
    settings = re.sub(r"^# (?=\[|\w+ = )", "", file.read_text("utf-8"), flags=re.MULTILINE)
    file.write_text(settings, "utf-8")

    done = gloss("services")  # on the server that fixtures name in the environment

    assert "[llm]" in settings
    assert done.exit_code == 0, done.stderr


def test_two_services_of_one_name_are_refused(gloss):
    gloss.write("gloss.toml", '[[services]]\nname = "crm"\nspec = "a"\n' * 2)

    done = gloss("ingest")

    assert done.exit_code == 2
    assert "services: two services are named crm" in done.stderr


def test_a_server_of_your_own_needs_no_home(gloss):
    for name in ("HOME", "XDG_DATA_HOME"):
        del gloss.environment[name]
    load = "import os; os.geteuid = lambda: 1000; from cli.settings import load; load()"

    subprocess.run([sys.executable, "-c", load], check=True, env=gloss.environment)


def test_a_near_name_is_asked_about(samples):
    done = samples("show", "crm/getProcInfo33")

    assert "\n  did you mean crm/getProcInfo" in done.stderr
