"""llvm-mca on the hot block of a loop: an estimate of the cycles of one pass through it, and what limits them.

The estimate knows the processor's ports and latencies, and nothing of caches, branches or memory.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from kernwright.run.model import Limits, Runner
from kernwright.targets.assembly import Instruction
from kernwright.targets.model import Evidence, ToolProblem

ITERATIONS = 200
_LIMITS = Limits(wall_seconds=20.0, cpu_seconds=20, processes=0)
_NEAR = 0.9
"""What fills this share of the cycles is called the bottleneck."""


@dataclass(frozen=True)
class BlockEstimate:
    """``cycles`` of one pass through the block; ``throughput`` is the least that the ports permit.

    ``bottleneck`` is a phrase: a group of ports, the front end, or a chain of dependences.
    """

    cycles: float
    throughput: float
    instructions: int
    bottleneck: str
    processor: str
    tool: str
    evidence: Evidence = Evidence.ESTIMATED


def find_mca(path: str) -> Path | None:
    """The newest ``llvm-mca`` of a search path: older ones do not know newer processors."""
    newest: tuple[int, Path] | None = None
    for folder in (Path(folder) for folder in path.split(":") if folder.startswith("/")):
        for program in folder.glob("llvm-mca*"):
            match = re.fullmatch(r"llvm-mca(?:-(\d+))?", program.name)
            if match is not None and (newest is None or int(match[1] or 0) > newest[0]):
                newest = (int(match[1] or 0), program)
    return newest[1] if newest is not None else None


def estimate_block(
    runner: Runner, mca: Path, block: tuple[Instruction, ...], processor: str = ""
) -> BlockEstimate | ToolProblem:
    """Run llvm-mca on one loop body. ``processor`` is a name for ``-mcpu``; empty means this machine's."""
    if any(instruction.mnemonic.startswith("call") for instruction in block):
        return ToolProblem("llvm-mca does not see into calls, and the hot block makes one")
    text = "\n".join(instruction.text for instruction in block) + "\n"
    words = [str(mca), "-json", f"-iterations={ITERATIONS}"]
    if processor:
        words.append(f"-mcpu={processor}")
    outcome = runner.tool(words, directory=Path("/"), limits=_LIMITS, stdin=text.encode())
    if not outcome.ok:
        said = outcome.stderr.decode("utf-8", errors="replace").strip().splitlines()
        return ToolProblem(f"{mca.name} refused the block: {said[0] if said else f'status {outcome.status}'}")
    try:
        return _read(json.loads(outcome.stdout), mca.name)
    except (KeyError, IndexError, TypeError, ValueError):
        return ToolProblem(f"{mca.name} answered in a form that is not known; another version may help")


def _read(answer: dict[str, Any], tool: str) -> BlockEstimate:
    region = answer["CodeRegions"][0]
    summary = region["SummaryView"]
    cycles = summary["TotalCycles"] / summary["Iterations"]
    instructions = len(region["Instructions"])
    pressure = _pressure(region, answer["TargetInfo"]["Resources"], instructions)
    front_end = summary["TotaluOps"] / summary["Iterations"] / summary["DispatchWidth"]
    busiest = max(pressure.values(), default=0.0)
    if busiest >= _NEAR * cycles:
        # A group of equal ports is listed as ``Zn3FP45.0`` and so on, in characters that do not print.
        names = {name.split(".", 1)[0] for name, value in pressure.items() if value >= _NEAR * busiest}
        bottleneck = f"ports {', '.join(sorted(names))}"
    elif front_end >= _NEAR * cycles:
        bottleneck = f"the front end, which takes {summary['DispatchWidth']} operations a cycle"
    else:
        bottleneck = "a chain of dependences from one pass to the next, or within one"
    return BlockEstimate(
        cycles=cycles,
        throughput=float(summary["BlockRThroughput"]),
        instructions=instructions,
        bottleneck=bottleneck,
        processor=str(answer["TargetInfo"]["CPUName"]),
        tool=tool,
    )


def _pressure(region: dict[str, Any], resources: list[str], instructions: int) -> dict[str, float]:
    """Cycles a pass for which each resource is busy; llvm-mca gives the sums as one more instruction."""
    entries = cast("list[dict[str, Any]]", region["ResourcePressureView"]["ResourcePressureInfo"])
    return {
        resources[entry["ResourceIndex"]]: float(entry["ResourceUsage"])
        for entry in entries
        if entry["InstructionIndex"] == instructions
    }
