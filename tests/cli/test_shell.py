"""Pipes, closed streams, secrets, wrong settings: what a shell and cron do to a program."""

import os
import subprocess
import sys

import pytest


def test_a_reader_that_goes_away_is_no_error(samples):
    done = subprocess.run(
        ["bash", "-c", f'{sys.executable} -m cli tools | head -1; echo "${{PIPESTATUS[0]}}"'],
        capture_output=True,
        text=True,
        check=True,
        cwd=samples.folder,
        env=samples.environment,
    )

    assert "Traceback" not in done.stderr
    assert "BrokenPipe" not in done.stderr
    assert done.stdout.splitlines()[-1] in ("0", "141")


def test_a_closed_stdout_is_no_error(samples):
    done = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m cli tools >&-"],
        capture_output=True,
        text=True,
        check=False,
        cwd=samples.folder,
        env=samples.environment,
    )

    assert "Traceback" not in done.stderr
    assert done.returncode == 0


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
