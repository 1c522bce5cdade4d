"""How tests/all.py runs make targets beside each other, on Makefiles made for the test."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from test_build import ROOT, everything

SETUP, TESTS = ([target for lane in lanes for target in lane] for lanes in (everything.SETUP, everything.LANES))
ALL = [*SETUP, *TESTS, *everything.LAST]
PLENTY = 64 * 1024**3
HEAD = "SHELL := /bin/bash\n"
#: Its kind, its name and all that it extends.
SCALA_TYPE = re.compile(r"^((?:[a-z]+ )*(?:class|trait)) (\w+)[^{\n]*?(?: extends ([^{\n]*))?(?:[{\n]|$)", re.MULTILINE)


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project whose Makefile the test writes; its `tests/all.py` is this project's."""
    monkeypatch.setattr(everything, "ROOT", tmp_path)
    (tmp_path / "tests").mkdir()
    shutil.copy2(ROOT / "tests" / "all.py", tmp_path / "tests")
    return tmp_path


def makefile(folder: Path, **recipes: str) -> None:
    """Targets with one line each; those that all.py knows say their names."""
    known = {target: f"@echo this is {target}" for target in ALL}
    rules = [f"{target}:\n\t{recipe}\n" for target, recipe in {**known, **recipes}.items()]
    (folder / "Makefile").write_text(HEAD + f".PHONY: {' '.join({**known, **recipes})}\n" + "".join(rules))


def run_all(folder: Path, *targets: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(folder / "tests" / "all.py"), *targets]
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)


def rules_of_the_project() -> dict[str, str]:
    """The recipes of the project's Makefile."""
    text = (ROOT / "Makefile").read_text()
    return {m[1]: m[2] for m in re.finditer(r"^([a-z0-9-]+):.*\n((?:\t.*\n)*)", text, re.MULTILINE)}


def test_every_kind_of_test_is_run_once() -> None:
    tests = {name for name in rules_of_the_project() if name.startswith("test-")} - {"test-python"}
    others = {*SETUP, "setup-rest", "check", "interop-tables", "interop-indexes", "examples", "packages"}
    assert sorted(ALL) == sorted(tests | others)


def test_only_one_lane_calls_sbt() -> None:
    calling = {name for name, recipe in rules_of_the_project().items() if "$(SBT)" in recipe}
    assert [bool(calling & set(lane)) for lane in (*everything.LANES, everything.LAST)] == [True, False, False]


def test_every_suite_lies_where_it_is_run() -> None:
    known = re.search(r"^val suiteFolders = Seq\((.*)\)$", (ROOT / "build.sbt").read_text(), re.MULTILINE)
    assert known
    texts = {path.relative_to(ROOT / "jvm"): path.read_text() for path in (ROOT / "jvm").glob("*/src/*/**/*.scala")}
    types = [(path, *match.groups("")) for path, text in texts.items() for match in SCALA_TYPE.finditer(text)]
    tests = {"FunSuite"}
    while heirs := {name for *_, name, parents in types if tests & set(re.findall(r"\w+", parents))} - tests:
        tests |= heirs
    suites = [(path, name) for path, kind, name, _ in types if name in tests and kind in ("class", "final class")]
    folders = [f"{module}/src/{name}/scala" for module in ("core", "spark") for name in re.findall(r"[\w-]+", known[1])]
    assert len(suites) > 200
    for path, name in suites:
        (package,) = re.findall(r"^package (\S+)$", texts[path], re.MULTILINE)
        assert path in [Path(folder, *package.split("."), f"{name}.scala") for folder in folders]


def test_one_target_leaves_out_no_folder_of_suites() -> None:
    running = {name: recipe for name, recipe in rules_of_the_project().items() if "core/test spark/test" in recipe}
    assert [name for name, recipe in running.items() if "-Dspark.test=" not in recipe] == ["test-43"]


def test_every_story_is_told_on_spark_3_5() -> None:
    rules = rules_of_the_project()
    assert re.findall(r"pytest (.*)", rules["test-python-35"]) == ["tests --ignore tests/interop"]
    tables, indexes = (re.findall(r"pytest (.*)", rules[f"interop-{of}"]) for of in ("tables", "indexes"))
    assert (tables, indexes) == (["tests/interop --ignore tests/interop/indexes"], ["tests/interop/indexes"])
    files = sorted((ROOT / "tests").rglob("*.py"))
    telling = [path for path in files if re.search(r"^ *def test_", path.read_text(), re.MULTILINE)]
    assert [path for path in telling if not path.name.startswith("test_")] == []


@pytest.mark.parametrize(
    ("cores", "gigabytes", "number"), [(2, 12, 2), (64, 512, 2), (1, 64, 1), (2, 11.9, 1), (1, 2, 1)]
)
def test_a_small_machine_runs_the_same_targets_in_one_lane(cores: int, gigabytes: float, number: int) -> None:
    for wanted, targets in ((everything.SETUP, SETUP), (everything.LANES, TESTS)):
        lanes = everything.lanes(wanted, cores, int(gigabytes * 1024**3))
        assert len(lanes) == number
        assert [target for lane in lanes for target in lane] == targets


def test_a_container_s_limit_counts_where_it_is_lower_than_the_machine_s_memory(tmp_path: Path) -> None:
    unlimited, low, none = tmp_path / "max", tmp_path / "low", tmp_path / "none"
    unlimited.write_text("max\n")
    low.write_text("4096\n")
    machine = everything.memory_bytes([])
    assert machine > 10**8
    assert everything.memory_bytes([str(unlimited), str(none)]) == machine
    assert everything.memory_bytes([str(unlimited), str(low)]) == 4096


def test_each_line_says_which_target_it_comes_from_and_the_last_one_counts(made: Path) -> None:
    makefile(made, **{"test-35": "@echo '[info] Passed: Total 12, Failed 0, Errors 0, Passed 12'"})
    done = run_all(made)
    lines = done.stdout.splitlines()
    assert done.returncode == 0
    assert lines[-1] == f"{len(ALL) - 1 + 12} passed, 0 failed"
    assert [line.split()[0] for line in lines[lines.index("===== summary") + 1 : -1]] == ALL
    assert "examples       | this is examples" in lines
    assert all(lines.count(f"===== make {target}") == 1 for target in ALL)


def test_a_failure_does_not_keep_the_others_from_running(made: Path) -> None:
    named = "FAILED tests/interop/test_a.py::test_b - assert False"
    failing = f"@echo '{named}'; echo '= 2 failed, 7 passed in 3.1s ='; exit 1"
    makefile(made, **{"check": "@exit 3", "interop-tables": failing})
    done = run_all(made)
    assert f"===== failures\ninterop-tables | {named}\n" in done.stdout
    assert (done.returncode, done.stdout.splitlines()[-1]) == (1, f"{len(ALL) - 2 + 7} passed, 3 failed")


def test_after_a_set_up_that_failed_nothing_runs_side_by_side(
    made: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(everything, "memory_bytes", lambda: PLENTY)
    monkeypatch.setattr(everything.os, "cpu_count", lambda: 2)
    makefile(made)
    assert everything.main([]) == 0
    first, second = (" ".join(lane) for lane in everything.LANES)
    assert f"===== side by side: {first}  |  {second}\n" in capsys.readouterr().out
    makefile(made, **{"setup-first": "@false"})
    assert everything.main([]) == 1
    printed = capsys.readouterr().out
    assert f"===== side by side: {' '.join(TESTS)}\n" in printed
    assert printed.splitlines()[-1] == f"{len(ALL) - 1} passed, 1 failed"


def test_targets_that_are_named_run_one_after_the_other(made: Path) -> None:
    makefile(made)
    lines = run_all(made, "examples", "check").stdout.splitlines()
    told = [line.split()[2] for line in lines if re.match("===== (make|done) ", line)]
    assert told == ["examples", "examples", "check", "check"]
    assert lines[-1] == "2 passed, 0 failed"


def test_lanes_run_at_the_same_time(made: Path) -> None:
    for pipe in ("there", "back"):
        os.mkfifo(made / pipe)
    # Opened for both ways, a pipe does not wait for its other end: alone, a target fails after the time of `read`.
    makefile(
        made,
        a="@exec 3<>there 4<>back; echo ping >&3; read -t 60 answer <&4; echo $$answer",
        b="@exec 3<>there 4<>back; read -t 60 question <&3; echo pong >&4; echo $$question",
    )
    results = everything.Runner().side_by_side([["a"], ["b"]])
    assert [(r.target, r.passed, r.failed) for r in results] == [("a", 1, 0), ("b", 1, 0)]


def test_the_lane_that_is_free_first_takes_what_is_left(made: Path) -> None:
    os.mkfifo(made / "done")
    makefile(made, long="@read -t 60 word < done", short="@true", left="@echo > done")
    runner = everything.Runner()
    runner.last = ["left"]
    results = runner.side_by_side([["long"], ["short"]])
    assert [(r.target, r.passed) for r in results] == [("long", 1), ("short", 1), ("left", 1)]


def test_a_sign_of_life_names_what_is_running(
    made: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(everything, "SIGN_OF_LIFE_SECONDS", 0.05)
    os.mkfifo(made / "go")
    makefile(made, waiting="@exec 3<>go; read -t 60 word <&3")
    runner = everything.Runner()
    say = runner.say
    went_on: list[str] = []

    def say_and_go_on(line: str) -> None:
        say(line)
        if line == "===== 0 min: running waiting" and not went_on:
            went_on.append(line)  # nobody reads a second one
            (made / "go").write_text("go\n")

    monkeypatch.setattr(runner, "say", say_and_go_on)
    assert runner.side_by_side([["waiting"]])[0].passed == 1
    assert "===== 0 min: running waiting\n" in capsys.readouterr().out


def test_an_error_in_one_lane_ends_the_other_even_where_it_will_not(
    made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(made / "started")
    makefile(
        made,
        stubborn="@trap '' TERM; echo > started; sleep 120; touch survived",
        broken="@read -t 60 < started; echo broken",
        never="@touch begun",
    )
    monkeypatch.setattr(everything, "GRACE_SECONDS", 0.1)
    monkeypatch.setattr(everything, "count", lambda line, _: 1 / ("broken" not in line))
    with pytest.raises(ZeroDivisionError):
        everything.Runner().side_by_side([["stubborn", "never"], ["broken", "never"]])
    assert not {"survived", "begun"} & set(os.listdir(made))


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_a_run_that_is_ended_leaves_no_process_behind(made: Path, how: signal.Signals) -> None:
    os.mkfifo(made / "alive")
    makefile(made, **{"setup-first": "@sleep 120 > alive & wait"})
    command = [sys.executable, str(made / "tests" / "all.py")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        with (made / "alive").open() as alive:  # waits for a writer
            process.send_signal(how)
            process.send_signal(signal.SIGTERM)  # as make passes it on, too
            assert alive.read() == ""  # all writers are gone
        assert process.wait(60) in (128 + how, 128 + signal.SIGTERM)  # whichever is seen first
        assert process.stdout and "Traceback" not in process.stdout.read()
