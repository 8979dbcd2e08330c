"""Jobs about a folder, a rule or the machine: what is in files that nobody has open, what a rule's own cases come to,
which compilers and tools there are. Only the last one starts anything, and it is not asked for without trust.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from kernwright.engine import Engine
from kernwright.jobs.model import (
    FoundKernel,
    JobFailed,
    JobRequest,
    JobStep,
    KernelsFound,
    MachineExamined,
    MachinePart,
    RuleCase,
    RuleTested,
)
from kernwright.mirror.analyse import Analyser
from kernwright.mirror.document import MirroredDocument
from kernwright.mirror.workspace import engine_for
from kernwright.tasks.sources import source_files

_MOST_FILES = 4000
_LONGEST_FILE = 1 << 20
_MOST_SECONDS = 60.0
_TOLD_EACH = 100


def kernels_of_folder(request: JobRequest, tell: Callable[[JobStep], None]) -> KernelsFound:
    """Every kernel of a folder's source files, as they are on disk. What a folder of a thousand generated files would
    take is left out, and counted."""
    engine = engine_for(request.root, request.editor, trusted=request.trusted)
    files, _ = source_files([request.path], engine.settings.ignore, engine.workspace)
    deadline = time.monotonic() + _MOST_SECONDS
    kernels: list[FoundKernel] = []
    left_out = max(0, len(files) - _MOST_FILES)
    for number, path in enumerate(files[:_MOST_FILES]):
        if time.monotonic() > deadline:
            left_out += min(len(files), _MOST_FILES) - number
            break
        if number % _TOLD_EACH == 0:
            tell(JobStep(path.name, number, min(len(files), _MOST_FILES)))
        found = _kernels_of_file(engine, path)
        if found is None:
            left_out += 1
        else:
            kernels += found
    return KernelsFound(tuple(kernels), left_out)


def _kernels_of_file(engine: Engine, path: Path) -> list[FoundKernel] | None:
    """None for a file that is too long or cannot be read."""
    try:
        if path.stat().st_size > _LONGEST_FILE:
            return None
        data = path.read_bytes()
    except OSError:
        return None
    analysed = Analyser(()).analyse(MirroredDocument(path, data), engine.workspace_file)
    if analysed is None or analysed.problem is not None:
        return None
    return [
        FoundKernel(path, kernel.name, kernel.signature, kernel.name_range.start.line, kernel.contract)
        for kernel in analysed.kernels
    ]


def test_rule_of_folder(request: JobRequest) -> RuleTested | JobFailed:
    """Run the cases of the rule that the request names."""
    from kernwright.propose.from_rules import check_transforms
    from kernwright.rules.queries import query_problems

    engine = engine_for(request.root, request.editor, trusted=request.trusted)
    rule = engine.rules.named(request.signature)
    of_file = tuple(str(problem) for problem in engine.rules.problems if problem.path.stem == request.signature)
    if rule is None:
        return RuleTested((), of_file) if of_file else JobFailed(f"there is no rule '{request.signature}'")
    problems = (*of_file, *map(str, (*query_problems([rule]), *check_transforms([rule]))))
    return RuleTested(tuple(_cases(engine, request.signature)), problems)


def _cases(engine: Engine, name: str) -> Iterator[RuleCase]:
    from kernwright.propose.rule_cases import test_rule

    rule = engine.rules.named(name)
    for one in test_rule(rule) if rule is not None else ():
        yield RuleCase(one.path, max(0, one.line - 1), one.outcome.value, one.passed, one.detail)


def examine_machine(request: JobRequest) -> MachineExamined | JobFailed:
    """What ``kernwright doctor`` says."""
    if not request.trusted:
        return JobFailed("the workspace is not trusted, so nothing is started to see what there is")
    from kernwright.targets.doctor import examine

    engine = engine_for(request.root, request.editor)
    allowed = engine.settings.allowed_compilers
    facts = examine(engine.runner, engine.loaded.search_path, sys.executable, allowed)
    return MachineExamined(
        device=engine.machine,
        sandbox=engine.runner.strength,
        is_strong=engine.runner.sandbox.strong,
        parts=tuple(MachinePart(one.name, one.found, one.version, one.adds, one.remedy) for one in facts),
    )
