"""Where the time of a kernel goes, line by line: by sampling, or by counting every instruction.

The kernel is a shared library, built with ``-g``, that a ``Driver`` calls over and over; both run in the sandbox.
Sampled addresses are resolved through the library's line table here: perf's own way of doing that takes seconds.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Protocol

from kernwright.run.model import Limits, Outcome, Runner
from kernwright.targets.callgrind import read_callgrind
from kernwright.targets.elf import file_offset_to_address
from kernwright.targets.model import Evidence, LineCost, Profile, ToolProblem

SAMPLES_PER_SECOND = 4999
"""A prime: a round number could fall in step with a loop."""
LEAST_SAMPLES = 100
COUNTING_FLAGS = ("-march=x86-64-v3",)
"""What a library for counting is built with on x86-64 instead of ``-march=native``: valgrind knows no AVX-512."""
CALL_FUNCTION = "kw_call"
_CALLED_LIBRARIES = ("libm.", "libm-", "libmvec", "libgomp", "libomp", "libstdc++")
_WORTH_SAYING = 0.05
_LIMITS = Limits(wall_seconds=60.0, cpu_seconds=120, memory_bytes=8 << 30, processes=0, output_bytes=64 << 20)
_MAPPED = re.compile(
    r"PERF_RECORD_MMAP2? (?P<pid>-?\d+)/\d+: \[(?P<start>0x[0-9a-f]+)\(0x[0-9a-f]+\) @ (?P<offset>0x[0-9a-f]+|0)"
    r"[^\]]*\]: \S+ (?P<path>.*)$"
)
_SAMPLE = re.compile(r"^\s*(?P<pid>-?\d+)\s+(?P<address>[0-9a-f]+) \((?P<path>.*)\)$")
_RECORD = """
perf record -q -e cpu-clock:u -F {rate} -o /tmp/perf.data -- "$@" >/dev/null 2>/tmp/perf.said
status=$?
perf script -i /tmp/perf.data --show-mmap-events -F pid,ip,dso 2>/dev/null || head -c 400 /tmp/perf.said >&2
exit $status
"""
_COUNT = """
valgrind --tool=callgrind --vgdb=no --trace-children=yes --compress-strings=no --compress-pos=no \
  --toggle-collect={function} --callgrind-out-file=/tmp/callgrind.%p "$@" >/dev/null 2>/tmp/callgrind.said
status=$?
cat /tmp/callgrind.[0-9]* 2>/dev/null
grep -i -e 'unrecognised instruction' -e 'fatal signal' -e 'SIGILL' /tmp/callgrind.said | head -c 400 >&2
exit $status
"""


class Effort(Enum):
    """How long a driver should call the kernel: for about a second, or a few times, as a simulator is much slower."""

    SAMPLED = "sampled"
    COUNTED = "counted"


@dataclass(frozen=True)
class Start:
    """How to start a driver. Paths that it reads beside its ``directory`` are in ``readable``."""

    argv: tuple[str, ...]
    directory: Path
    stdin: bytes = b""
    readable: tuple[Path, ...] = ()


class Driver(Protocol):
    """Loads a shared library and calls its ``kw_call`` over and over, on inputs of its own; it ends with status 0."""

    def start(self, library: Path, effort: Effort) -> Start: ...


def sampled_profile(
    runner: Runner, driver: Driver, library: Path, source: Callable[[str], bool]
) -> Profile | ToolProblem:
    """Sample with ``perf``'s processor clock, which needs no counters. ``source`` tells the kernel's file by its name
    in the line table."""
    outcome = _run(runner, driver.start(library, Effort.SAMPLED), library, _RECORD.format(rate=SAMPLES_PER_SECOND))
    if not outcome.ok:
        return ToolProblem(f"perf could not sample: {_why(outcome, 'perf')}")
    text = outcome.stdout.decode("utf-8", errors="replace")
    rows = text.splitlines()
    addresses = Counter(_addresses(rows, library))
    total = sum(addresses.values())
    if not total:
        return ToolProblem("perf took no sample in the kernel; it may be too short a run")
    lines = _lines_of(runner, library, list(addresses), source)
    if isinstance(lines, ToolProblem):
        return lines
    costs: Counter[int] = Counter()
    for address, samples in addresses.items():
        if lines.get(address):
            costs[lines[address]] += samples
    few = () if total >= LEAST_SAMPLES else (f"Only {total} samples: shares may be off by several percent.",)
    notes = (*few, *_elsewhere(rows, total))
    return _profile(costs, float(total), "samples", Evidence.MEASURED, "perf", notes)


def counted_profile(
    runner: Runner, driver: Driver, library: Path, source: Callable[[str], bool], function: str = CALL_FUNCTION
) -> Profile | ToolProblem:
    """Count instructions with ``valgrind --tool=callgrind``, exactly; only within ``function``. A line that calls a
    function of another file has that function's instructions too."""
    outcome = _run(runner, driver.start(library, Effort.COUNTED), library, _COUNT.format(function=function))
    text = outcome.stdout.decode("utf-8", errors="replace")
    if outcome.status in (132, -4) or b"unrecognised instruction" in outcome.stderr:
        return ToolProblem("valgrind does not know an instruction of the kernel; build with -march=x86-64-v3")
    if not outcome.ok:
        return ToolProblem(f"callgrind could not count: {_why(outcome, 'valgrind')}")
    costs = read_callgrind(text, source)
    total = sum(costs.values())
    if not total:
        return ToolProblem(f"callgrind counted nothing in {function}; was the library built with -g?")
    return _profile(costs, float(total), "instructions", Evidence.COUNTED, "callgrind", ())


def profile(
    runner: Runner,
    driver: Driver,
    library: Path,
    counting_library: Callable[[], Path | ToolProblem],
    source: Callable[[str], bool],
) -> Profile | ToolProblem:
    """Sample where perf works, else count, else say both reasons. ``counting_library`` builds for valgrind."""
    sampled = sampled_profile(runner, driver, library, source)
    if isinstance(sampled, Profile):
        return sampled
    built = counting_library()
    counted = built if isinstance(built, ToolProblem) else counted_profile(runner, driver, built, source)
    if isinstance(counted, ToolProblem):
        return ToolProblem(f"{sampled.message}; {counted.message}")
    note = f"{sampled.message}; instructions were counted instead, which says nothing on waiting for memory."
    return Profile(counted.lines, counted.total, counted.tool, (*counted.notes, note))


def _profile(
    costs: Mapping[int, float], total: float, unit: str, evidence: Evidence, tool: str, notes: tuple[str, ...]
) -> Profile:
    ordered = sorted(costs.items(), key=lambda item: (-item[1], item[0]))
    lines = tuple(LineCost(line, amount / total, float(amount), unit, evidence) for line, amount in ordered)
    return Profile(lines, total, tool, notes)


def _run(runner: Runner, start: Start, library: Path, script: str) -> Outcome:
    return runner.sandboxed(
        ["/bin/sh", "-c", script, "sh", *start.argv],
        directory=start.directory,
        limits=_LIMITS,
        stdin=start.stdin,
        environment={"HOME": "/tmp"},  # perf and valgrind look for their own settings there
        readable=(library.parent, *start.readable),
    )


def _addresses(lines: Iterable[str], library: Path) -> Iterable[int]:
    """The sampled addresses within the library, as its own line table counts them."""
    to_address = file_offset_to_address(library)
    mapped: dict[str, tuple[int, int]] = {}
    for line in lines:
        sample = _SAMPLE.match(line)
        if sample is not None:
            if sample["path"] == str(library) and sample["pid"] in mapped:
                start, offset = mapped[sample["pid"]]
                address = to_address(int(sample["address"], 16) - start + offset)
                if address is not None:
                    yield address
        elif (mapping := _MAPPED.search(line)) is not None and mapping["path"] == str(library):
            mapped[mapping["pid"]] = (int(mapping["start"], 16), int(mapping["offset"], 16))


def _elsewhere(rows: Iterable[str], total: int) -> Iterable[str]:
    """What to say of time in libraries that the kernel calls, such as the mathematical one: it has no line here."""
    places = Counter(Path(sample["path"]).name for row in rows if (sample := _SAMPLE.match(row)))
    for name, samples in places.most_common():
        if name.startswith(_CALLED_LIBRARIES) and samples >= _WORTH_SAYING * total:
            yield f"{name} took {samples} further samples, {samples / total:.0%} of those in the kernel's own code."


def _lines_of(
    runner: Runner, library: Path, addresses: Sequence[int], source: Callable[[str], bool]
) -> dict[int, int] | ToolProblem:
    """The line of the source for each address, 0 where there is none: of inlined code, the innermost frame that lies
    in the source."""
    asked = "".join(f"{address:#x}\n" for address in addresses).encode()
    outcome = runner.tool(["addr2line", "-a", "-i", "-e", str(library)], directory=library.parent, stdin=asked)
    if not outcome.ok:
        return ToolProblem("addr2line did not run; install binutils")
    lines: dict[int, int] = {}
    address = 0
    for row in outcome.stdout.decode("utf-8", errors="replace").splitlines():
        if row.startswith("0x"):
            address = int(row, 16)
            lines[address] = 0
            continue
        file, _, number = row.partition(" ")[0].rpartition(":")
        if not lines[address] and number.isdigit() and source(file):
            lines[address] = int(number)
    return lines


def _why(outcome: Outcome, program: str) -> str:
    said = outcome.stderr.decode("utf-8", errors="replace").strip().splitlines()
    if outcome.timed_out:
        return "out of time"
    if outcome.status == 127:
        return f"{program} is not installed"
    return said[0].strip() if said else f"it ended with status {outcome.status}"
