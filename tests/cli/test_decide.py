"""``accept``, ``reject`` and ``rules``: what is written into a user's files, and what comes of it. Offers are made by
hand here: no compiler is needed to decide on one."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from program import Answer, Program

from kernwright.contract import Check, Contract, Tolerance
from kernwright.kernel import find_functions
from kernwright.memory.model import Event, EventKind
from kernwright.memory.store import Log
from kernwright.offer import make_offer
from kernwright.offer_json import stored_offer
from kernwright.propose.candidate import Candidate
from kernwright.rules.model import Origin, Rule, Status
from kernwright.rules.sources import read_file
from kernwright.syntax import parse
from kernwright.text import Edit, read_snapshot
from kernwright.verify.verdict import Errors, Speedup, Stage, StageName, StageStatus, Verdict
from kernwright.verify.verdict import Status as VerdictStatus

BODIES = ("sum += x[i];", "sum += x[i] * x[i];", "sum += x[i] * y[i];")


def kernel_text(number: int) -> str:
    return f"""\
float total{number}(int n, const float *x, const float *y)
{{
    float sum = 0.0f;
    for (int i = 0; i < n; i++)
        {BODIES[number]}
    return sum;
}}
"""


def log_of(program: Program) -> Log:
    return Log(program.home / "data" / "kernwright", program.folder.resolve())


def offered(program: Program, path: Path, number: int = 0) -> str:
    """An offer for the kernel of that number in a file, in the program's memory; its id."""
    parsed = parse(read_snapshot(path))
    kernel = next(kernel for kernel in find_functions(parsed) if kernel.name == f"total{number}")
    body = BODIES[number].encode()
    start = parsed.snapshot.data.index(body)
    candidate = Candidate(
        "Keep 8 partial sums", (Edit(start, start + len(body), body.replace(b"+=", b"-= -")),), "search",
        transform="partial-sums", parameters=(("loop", "0"), ("lanes", "8"), ("form", "array")), symptom="reduction",
    )  # fmt: skip
    speedup = Speedup(4.0, 3.9, 4.1, 0.01, 1000, 250, {"n": 1000}, "cpu", "gcc 12.2.0", ("-O3",))
    stages = tuple(Stage(name, StageStatus.PASSED) for name in StageName)
    verdict = Verdict(VerdictStatus.ACCEPTED, stages, 9, Errors(), (speedup,))
    contract = Contract({}, check=Check(tolerance=Tolerance(rel=1e-5)))
    offer = make_offer(parsed, kernel, contract, candidate, verdict, "host")
    assert offer is not None
    log_of(program).append(
        Event(EventKind.OFFERED, offer.fingerprint, "host", "gcc 12.2.0", offer.experience, offer.id,
              stored_offer(offer, parsed.snapshot))
    )  # fmt: skip
    return offer.id


def refused(answer: Answer, line: str) -> None:
    assert answer.status == 2
    assert answer.out == ""
    assert len(answer.err.splitlines()) == 1
    assert line in answer.err


def test_accept_writes_the_edit_and_nothing_else(program: Program) -> None:
    before = b"\xef\xbb\xbf// \xc3\xa9\r\n" + kernel_text(0).replace("\n", "\r\n").encode()
    path = program.write("sum.c", before)
    path.chmod(0o600)
    link = program.folder / "link.c"
    link.symlink_to(path)
    offer = offered(program, link)
    answer = program.run("accept", offer)
    assert answer.status == 0
    assert "Keep 8 partial sums: 4.0× (3.9–4.1), same bits" in answer.out
    assert path.read_bytes() == before.replace(b"sum += x", b"sum -= - x")
    assert link.is_symlink() and stat.S_IMODE(path.stat().st_mode) == 0o600
    assert {found.name for found in program.folder.iterdir()} == {"link.c", "sum.c"}
    assert log_of(program).events()[-1].kind is EventKind.ACCEPTED
    refused(program.run("accept", offer), "was accepted already")


def test_an_offer_follows_its_kernel_and_refuses_a_changed_one(program: Program) -> None:
    path = program.write("sum.c", kernel_text(0) + kernel_text(1))
    first, second = offered(program, path, 0), offered(program, path, 1)
    moved = "int above;\n" + kernel_text(0).replace("sum += ", "sum = sum + ") + kernel_text(1)
    path.write_text(moved)
    refused(program.run("accept", first), "total0 has changed since this was offered; run 'kernwright optimize' again")
    assert path.read_text() == moved
    assert program.run("accept", second).status == 0
    assert path.read_text() == moved.replace("sum += x[i] * x[i]", "sum -= - x[i] * x[i]")


def test_a_contract_that_changed_is_another_kernel(program: Program) -> None:
    contract = "/* kernwright\n[check]\ntolerance = {rel = 1e-5}\n*/\n"
    path = program.write("sum.c", contract + kernel_text(0))
    offer = offered(program, path)
    changed = contract.replace("1e-5", "1e-7") + kernel_text(0)
    path.write_text(changed)
    refused(program.run("accept", offer), "total0 has changed since this was offered")
    assert path.read_text() == changed
    # Accepted, undone, and changed: it is not "accepted already".
    path.write_text(contract + kernel_text(0))
    assert program.run("accept", offer).status == 0
    path.write_text(changed)
    refused(program.run("accept", offer), "total0 has changed since this was offered")
    path.write_text(contract + kernel_text(0))
    assert program.run("reject", offer, "--reason", "not-now").status == 0
    assert program.run("accept", offer).status == 0


def test_other_names_of_a_file_are_said_to_keep_the_old_text(program: Program) -> None:
    path = program.write("sum.c", kernel_text(0))
    (program.folder / "same.c").hardlink_to(path)
    answer = program.run("accept", offered(program, path), "--format", "json")
    assert (answer.status, answer.json["rules"]) == (0, [])
    assert answer.error_lines == [
        f"kernwright: {path}: 1 other name of this file still has the old text: it was a hard link"
    ]
    assert (program.folder / "same.c").read_text() == kernel_text(0)


def test_a_rule_that_cannot_be_written_does_not_undo_the_acceptance(program: Program) -> None:
    path = program.write("sums.c", "".join(map(kernel_text, range(3))))
    program.write(".kernwright", "a file where a folder should be")
    for number in range(2):
        assert program.run("accept", offered(program, path, number)).status == 0
    answer = program.run("accept", offered(program, path, 2), "--format", "json")
    assert (answer.status, answer.json["rules"]) == (0, [])
    assert "the rule was not written" in answer.err


def test_what_cannot_be_accepted_is_one_line(program: Program) -> None:
    path = program.write("sum.c", kernel_text(0))
    offer = offered(program, path)
    refused(
        program.run("accept", "norm-0000"), "there is no offer 'norm-0000'; 'kernwright optimize FILE' makes offers"
    )
    refused(program.run("accept", offer[:-1].upper()), f"do you mean '{offer}'?")
    path.chmod(0o400)
    refused(program.run("accept", offer), "is read-only; nothing was written")
    path.unlink()
    refused(program.run("accept", offer), "No such file or directory")
    log_of(program).path.write_bytes(b"not a database" * 99)
    refused(program.run("accept", offer), "file is not a database; set KERNWRIGHT_DATA to another folder")


@pytest.mark.parametrize("reason", ["wrong", "not-worth-it", "not-now", "other"])
def test_reject_records_the_reason(program: Program, reason: str) -> None:
    path = program.write("sum.c", kernel_text(0))
    assert program.run("reject", offered(program, path), "--reason", reason).status == 0
    event = log_of(program).events()[-1]
    assert (event.kind, event.data["reason"]) == (EventKind.REJECTED, reason)
    assert path.read_text() == kernel_text(0)


def test_a_reason_that_there_is_not(program: Program) -> None:
    path = program.write("sum.c", kernel_text(0))
    answer = program.run("reject", offered(program, path), "--reason", "ugly")
    refused(answer, "expected wrong, not-worth-it, not-now or other")
    assert [event.kind for event in log_of(program).events()] == [EventKind.OFFERED]


def test_the_third_kernel_makes_a_rule(program: Program) -> None:
    path = program.write("sums.c", "".join(map(kernel_text, range(3))))
    rules = program.folder / ".kernwright" / "rules"
    for number in range(2):
        assert program.run("accept", offered(program, path, number)).status == 0
        assert not rules.exists()
    [file] = program.run("accept", offered(program, path, 2), "--format", "json").json["rules"]
    rule = read_file(Path(file), Origin.WORKSPACE)
    assert isinstance(rule, Rule)
    assert (rule.status, rule.adopted, rule.kernels) == (Status.LEARNED, 3, ("total0", "total1", "total2"))
    assert len(rule.learned_from) == 3
    [call] = rule.transforms
    assert (call.name, dict(call.space)) == ("partial-sums", {"lanes": (8,), "form": ("array",)})
    # Its cases are the kernels as they were, and it finds what it has to find in each.
    assert [case.code.count("+=") for case in rule.finds] == [1, 1, 1]
    assert program.run("rules", "test", rule.name).status == 0

    listed = program.run("rules", "list", "--format", "json").json["rules"]
    [mine] = [one for one in listed if one["name"] == rule.name]
    assert mine["utility"] == pytest.approx(0.488)
    assert program.run("rules", "demote", rule.name).status == 0
    assert "\nstatus: cold\n" in Path(file).read_text()
    assert program.run("rules", "promote", rule.name).status == 0
    assert "\nstatus: learned\n" in Path(file).read_text()
    refused(program.run("rules", "promote", rule.name), "is in service already")


def test_the_same_kernel_three_times_makes_none(program: Program) -> None:
    for name in ("a.c", "b.c", "c.c"):
        path = program.write(name, kernel_text(0))
        program.run("accept", offered(program, path))
    assert not (program.folder / ".kernwright").exists()


def test_a_rule_may_be_promoted_by_hand(program: Program) -> None:
    path = program.write("sum.c", kernel_text(0))
    offer = offered(program, path)
    refused(program.run("rules", "promote", offer), "there is no accepted offer and no rule")
    program.run("accept", offer)
    answer = program.run("rules", "promote", offer, "--format", "json")
    assert answer.status == 0
    assert isinstance(read_file(Path(answer.json["path"]), Origin.WORKSPACE), Rule)
    refused(program.run("rules", "promote", offer), "became the rule")


def test_rules_are_made_tested_and_switched(program: Program) -> None:
    program.write("kernwright.toml", "# mine\n[settings]\nrounds = 3\n")
    assert program.run("rules", "new", "slow-call").status == 0
    assert program.run("rules", "test", "slow-call").status == 0
    refused(program.run("rules", "new", "slow-call"), "there is a rule 'slow-call' already")
    refused(program.run("rules", "new", "Slow Call"), "is no name for a rule")
    assert program.run("rules", "disable", "slow-call").status == 0
    text = (program.folder / "kernwright.toml").read_text()
    assert text == '# mine\n[settings]\nrounds = 3\n\n[settings.rules]\n"slow-call" = false\n'
    listed = program.run("rules", "list", "--format", "json").json["rules"]
    assert {one["name"]: one["on"] for one in listed}["slow-call"] is False
    assert program.run("rules", "enable", "slow-call").status == 0
    assert '"slow-call" = true\n' in (program.folder / "kernwright.toml").read_text()
    refused(program.run("rules", "disable", "slow-cal"), "do you mean 'slow-call'?")
    rule = program.folder / ".kernwright" / "rules" / "slow-call.md"
    rule.write_text(rule.read_text().replace("= slow_function(x[i])", "= quick_function(x[i])"))
    broken = program.run("rules", "test", "slow-call")
    assert (broken.status, "slow-call" in broken.out) == (1, True)


def test_two_programs_at_once_lose_nothing(program: Program) -> None:
    paths = [program.write(f"sum{number}.c", kernel_text(0)) for number in range(6)]
    offers = [offered(program, path) for path in paths]
    running = [program.start("accept", offer) for offer in offers]
    for process in running:
        _, err = process.communicate(timeout=120)
        assert process.returncode == 0, err
    accepted = [event.offer for event in log_of(program).events(EventKind.ACCEPTED)]
    assert sorted(accepted) == sorted(offers)
    assert all("sum -= - x[i]" in path.read_text() for path in paths)
