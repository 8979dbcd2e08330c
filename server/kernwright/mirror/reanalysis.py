"""``Reanalysis``: one analysis of one text, with all that earlier ones left behind."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import NamedTuple

from kernwright.contract import Contract, ContractProblem
from kernwright.contract_text import read_contract_beside
from kernwright.find.context import Context
from kernwright.find.facts import Facts
from kernwright.find.finder import applies, find_in_kernel
from kernwright.find.finding import contract_finding
from kernwright.find.types import FileTypes
from kernwright.kernel import Kernel, kernel_named
from kernwright.mirror.document import MirroredDocument
from kernwright.mirror.items import functions_in
from kernwright.mirror.known import NO_CONTRACT, ContractResult, KernelResult, Known
from kernwright.mirror.lines import Lines
from kernwright.mirror.model import Analysed, FoundFinding, KernelSummary, Place
from kernwright.mirror.outlook import Keys, Outlook, PlacedKey, Standing
from kernwright.mirror.placing import Region, found_finding, moved_finding, outline_of, summary_of
from kernwright.nesting import bounded_depth
from kernwright.rules.model import Rule
from kernwright.targets.model import BuildCommand, Remark
from kernwright.text import UnreadableSource
from kernwright.toml_places import Toml
from kernwright.workspace_toml import WorkspaceFile, unmatched_keys

PART_SECONDS = 0.15
"""How long a first analysis works before it hands out what it has."""


@dataclass(frozen=True)
class Question:
    """What an analysis depends on beside the text."""

    rules: tuple[Rule, ...]
    workspace: WorkspaceFile | None
    remarks: Mapping[str, Sequence[Remark]]
    build: BuildCommand | None


@dataclass(frozen=True)
class _Table:
    """A kernel's table in ``kernwright.toml`` and its key there."""

    key: str
    toml: Toml


class _Kernel(NamedTuple):
    """A kernel, its keys, its contract and under which key its findings are kept."""

    standing: Standing
    keys: Keys
    contract: ContractResult
    origin: Place
    result_key: str
    owner: ContractResult
    """The contract that rules go by. Of several kernels with one signature that is the last one's."""
    is_last: bool


class Reanalysis:
    def __init__(self, document: MirroredDocument, outlook: Outlook, known: Known, question: Question) -> None:
        self._document = document
        self._outlook = outlook
        self._known = known
        self._workspace = question.workspace
        if self._workspace is not None and not self._workspace.keys_for(document.path):
            self._workspace = None
        self._remarks = question.remarks
        self._build = question.build
        self._parsed = document.parsed
        self._rules = [rule for rule in question.rules if applies(rule, self._parsed.language, Facts())]
        self._fixes = {rule.name: _fixes(rule) for rule in self._rules}
        self._file = FileTypes(self._parsed)
        self._used: set[str] = set()
        self._functions: dict[int, list[Kernel]] = {}

    def run(
        self, is_obsolete: Callable[[], bool], hand_out: Callable[[Analysed], None] | None
    ) -> Analysed | str | None:
        """The answer, one line on why there can't be one, or None when newer text has come."""
        standings = self._outlook.look(self._parsed, self._outside())
        if isinstance(standings, str):
            return standings
        kernels = self._kernels(standings)
        results: list[KernelResult] = []
        since = time.monotonic()
        for kernel in kernels:
            result = self._known.get(kernel.result_key)
            if not isinstance(result, KernelResult):
                if is_obsolete():
                    return None
                if hand_out is not None and time.monotonic() - since >= PART_SECONDS:
                    hand_out(self._answer(kernels, results))
                    since = time.monotonic()
                result = self._analysed(kernel)
                self._known.put(kernel.result_key, result)
            if result.problem is not None:
                return result.problem
            self._used.add(kernel.result_key)
            results.append(result)
        self._known.change(self._outlook.used - self._used, self._used - self._outlook.used)
        self._outlook.used = frozenset(self._used)
        return self._answer(kernels, results)

    def _outside(self) -> bytes:
        build = (self._build.flags, self._build.compiler.kind) if self._build is not None else None
        names = [rule.name for rule in self._rules]
        return blake2b(repr((self._parsed.language.value, names, build)).encode(), digest_size=16).digest()

    def _kernels(self, standings: Sequence[Standing]) -> list[_Kernel]:
        tables = self._tables(standings)
        keys = [
            self._outlook.keys_of(self._parsed, standing, self._hash_of(tables.get(index)))
            for index, standing in enumerate(standings)
        ]
        contracts = [
            self._contract(standing, keys[index], tables.get(index)) for index, standing in enumerate(standings)
        ]
        last = {standing.function.signature: index for index, standing in enumerate(standings)}
        kernels: list[_Kernel] = []
        for index, standing in enumerate(standings):
            owner = last[standing.function.signature]
            key = keys[index].value if owner == index else f"{keys[index].value}:{keys[owner].value}"
            said = self._remarks.get(keys[index].public)
            if said:
                key = f"{key}:{blake2b(repr(tuple(said)).encode(), digest_size=16).hexdigest()}"
            origin = self._document.lines.place(standing.start)
            kernels.append(
                _Kernel(standing, keys[index], contracts[index], origin, key, contracts[owner], owner == index)
            )
        return kernels

    def _tables(self, standings: Sequence[Standing]) -> dict[int, _Table]:
        """The tables of kernels by their numbers. A name in a key stands for every function that bears it."""
        if self._workspace is None:
            return {}
        found: dict[int, _Table] = {}
        for key in self._workspace.keys_for(self._document.path):
            matches = {id(match) for match in kernel_named(self._outlook.functions, key.function)}
            for index, standing in enumerate(standings):
                if index not in found and id(standing.function) in matches:
                    found[index] = _Table(key.text, self._workspace.kernels[key])
        return found

    def _hash_of(self, table: _Table | None) -> bytes:
        if table is None or self._workspace is None:
            return b""
        return f"{self._workspace.snapshot.content_hash}:{table.key}".encode()

    def _contract(self, standing: Standing, keys: Keys, table: _Table | None) -> ContractResult:
        written = standing.function.contract_comment is not None
        if not written and table is None:
            return NO_CONTRACT
        key = f"contract:{keys.value}"
        self._used.add(key)
        known = self._known.get(key)
        if isinstance(known, ContractResult):
            return known
        read = read_contract_beside(
            self._parsed, self._kernel(standing), self._workspace, table.toml if table is not None else None
        )
        region = self._region(standing)
        result = ContractResult(
            "broken" if read.errors else "written" if written else "file",
            read.contract,
            tuple(self._problem(problem, standing.function.signature, region) for problem in read.problems),
        )
        self._known.put(key, result)
        return result

    def _problem(self, problem: ContractProblem, signature: str, region: Region) -> FoundFinding:
        finding = contract_finding(problem, signature)
        if problem.in_file is None or self._workspace is None:
            return found_finding(finding, region, ())
        found = found_finding(finding, Region(Lines(self._workspace.snapshot.data), 0), ())
        return replace(found, in_file=problem.in_file)

    def _analysed(self, kernel: _Kernel) -> KernelResult:
        standing = kernel.standing
        contracts: dict[str, Contract] = {}
        if kernel.owner.contract is not None:
            contracts[standing.function.signature] = kernel.owner.contract
        first = kernel.origin.line + 1
        said = [replace(one, line=one.line + first) for one in self._remarks.get(kernel.keys.public, ())]
        facts = Facts(remarks=said, build=self._build, contracts=contracts)
        try:
            with bounded_depth(self._document.path):
                context = Context(self._parsed, self._kernel(standing), facts, self._file)
                findings = find_in_kernel(context, self._rules)
        except UnreadableSource as error:
            return KernelResult((), str(error))
        region = self._region(standing)
        return KernelResult(tuple(found_finding(one, region, self._fixes[one.rule]) for one in findings))

    def _kernel(self, standing: Standing) -> Kernel:
        """The kernel with its nodes in the tree as it is now."""
        functions = self._functions.get(standing.item.id)
        if functions is None:
            functions = functions_in(self._parsed, standing.item)
            self._functions[standing.item.id] = functions
        return functions[standing.function.index]

    def _region(self, standing: Standing) -> Region:
        region = standing.function.region
        data = self._parsed.snapshot.data[standing.base + region.start : standing.base + region.end]
        return Region(Lines(data), standing.start)

    def _answer(self, kernels: Sequence[_Kernel], results: Sequence[KernelResult]) -> Analysed:
        """Put together what is known. What was placed before and did not move is taken as it is."""
        placed: dict[PlacedKey, tuple[KernelSummary, tuple[FoundFinding, ...]]] = {}
        summaries: list[KernelSummary] = []
        findings: list[FoundFinding] = []
        for index, kernel in enumerate(kernels):
            result = results[index] if index < len(results) else None
            origin = kernel.origin
            state = "pending" if result is None else "found"
            key = kernel.result_key, kernel.keys.public, state, origin.line, origin.column
            made = placed.get(key) or self._outlook.placed.get(key) or self._place(kernel, result)
            placed[key] = made
            summaries.append(made[0])
            findings += made[1]
        self._outlook.placed = placed
        findings += self._contract_problems(kernels)
        findings += self._unmatched(kernels)
        findings.sort(key=_order)
        return Analysed(
            self._document.version,
            self._document.content_hash,
            self._parsed.language.value,
            tuple(summaries),
            tuple(findings),
            pending=len(kernels) - len(results),
        )

    def _place(self, kernel: _Kernel, result: KernelResult | None) -> tuple[KernelSummary, tuple[FoundFinding, ...]]:
        function, origin = kernel.standing.function, kernel.origin
        outline = outline_of(function, Region(self._region(kernel.standing).lines, function.region.start))
        summary = summary_of(function, kernel.keys.public, kernel.contract.state, outline, origin)
        found = result.findings if result is not None else ()
        return summary, tuple(moved_finding(finding, origin) for finding in found)

    def _contract_problems(self, kernels: Sequence[_Kernel]) -> Iterable[FoundFinding]:
        for kernel in kernels:
            # Of several kernels with one signature the last one's problems are told.
            if kernel.is_last:
                for finding in kernel.contract.findings:
                    yield moved_finding(finding, kernel.origin)

    def _unmatched(self, kernels: Sequence[_Kernel]) -> Iterable[FoundFinding]:
        if self._workspace is None:
            return
        region = Region(Lines(self._workspace.snapshot.data), 0)
        for problem in unmatched_keys(self._workspace, self._parsed, [one.standing.function for one in kernels]):
            yield self._problem(problem, "", region)


def _order(finding: FoundFinding) -> tuple[str, int, int, int, int, str, str]:
    start, end = finding.range.start, finding.range.end
    return finding.in_file or "", start.line, start.column, end.line, end.column, finding.rule, finding.message


def _fixes(rule: Rule) -> tuple[str, ...]:
    own = (rule.name,) if rule.templates else ()
    return (*own, *dict.fromkeys(call.name for call in rule.transforms))
