"""What toolchains write, read from texts: optimisation records, callgrind's output, assembly, ELF headers."""

from __future__ import annotations

import gzip
import json
import struct
from pathlib import Path

import pytest

from kernwright.targets.assembly import read_assembly
from kernwright.targets.callgrind import read_callgrind
from kernwright.targets.clang_remarks import read_clang_record
from kernwright.targets.counts import hot_loop, mix_of
from kernwright.targets.elf import file_offset_to_address
from kernwright.targets.gcc_remarks import read_gcc_record
from kernwright.targets.model import Remark, RemarkKind
from kernwright.targets.remarks import loop_outcome
from kernwright.targets.unit import Unit


def is_kernel(file: str) -> bool:
    return file.endswith("k.c")


def shown(remarks: list[Remark] | None) -> list[str]:
    assert remarks is not None
    return [f"{r.line}:{r.column} {r.kind.value} {r.subject} {r.function}: {r.message}" for r in remarks]


CLANG = """\
--- !Passed
Pass:            loop-vectorize
Name:            Vectorized
DebugLoc:        { File: '/a/very/long/path/to/a/folder/that/needs/a/second/line/k.c',
                   Line: 3, Column: 5 }
Function:        f
Args:
  - String:          'vectorized '
  - String:          'loop (vectorization width: '
  - VectorizationFactor: '8'
  - String:          ')'
...
--- !Analysis
Pass:            loop-vectorize
Name:            CantReorderFPOps
DebugLoc:        { File: k.c, Line: 8, Column: 7 }
Function:        g
Args:
  - String:          'loop not vectorized: it''s "odd". Use #pragma clang loop vectorize(enable) to force'
...
--- !Missed
Pass:            loop-vectorize
Name:            MissedDetails
DebugLoc:        { File: k.c, Line: 7, Column: 3 }
Function:        g
Args:
  - String:          loop not vectorized
...
--- !Missed
Pass:            licm
Name:            LoadWithLoopInvariantAddressInvalidated
DebugLoc:        { File: k.c, Line: 9, Column: 3 }
Function:        g
Args:
  - String:          |
      failed to move load
      with two lines
...
--- !Passed
Pass:            licm
Name:            Hoisted
DebugLoc:        { File: k.c, Line: 9, Column: 3 }
Function:        g
Args:
  - String:          'hoisting '
  - Inst:            icmp
...
--- !Missed
Pass:            inline
Name:            NoDefinition
DebugLoc:        { File: other.h, Line: 9, Column: 3 }
Function:        g
Args:
  - String:          "not \\"here\\""
...
--- !Missed
Pass:            inline
Name:            NoPlace
Function:        g
Args:
  - String:          no place
...
"""


def test_clang_record() -> None:
    assert shown(read_clang_record(CLANG, is_kernel, "clang")) == [
        "3:5 optimised loop-vectorize f: vectorized loop (vectorization width: 8)",
        '7:3 missed loop-vectorize g: loop not vectorised: it\'s "odd" (line 8)',
        "9:3 missed licm g: failed to move load with two lines",
    ]


@pytest.mark.parametrize("text", ["", "--- !Passed\nPass: x", "nothing of the kind\n...\n...", "--- !A\n--- !B\n"])
def test_a_broken_clang_record_has_no_remarks(text: str) -> None:
    assert read_clang_record(text, is_kernel, "clang") == []


def gcc_record(*records: tuple[str, str, int, object]) -> bytes:
    """A record of ``(kind, pass, line, message)``; a line of 0 leaves the place out."""
    passes = [{"id": "0x1", "name": "loop", "children": [{"id": "0x2", "name": "vect"}, {"id": "0x3", "name": "lim"}]}]
    ids = {"loop": "0x1", "vect": "0x2", "lim": "0x3"}
    items = [
        {
            "kind": kind,
            "pass": ids[name],
            "function": "f",
            "message": [message, "\n"] if isinstance(message, str) else message,
            **({"location": {"file": "/x/k.c", "line": line, "column": 4}} if line else {}),
        }
        for kind, name, line, message in records
    ]
    nested = [{"kind": "scope", "pass": "0x2", "message": ["=== analyze_loop_nest ===\n"], "children": items}]
    return gzip.compress(json.dumps([{"format": "1"}, passes, nested]).encode())


FAILED = ("failure", "vect", 5, "couldn't vectorize loop")
NO_TYPE = ("failure", "vect", 6, "not vectorized: no vectype for stmt: _1 = *_2;")
REASONS: list[tuple[list[tuple[str, str, int, object]], str]] = [
    ([NO_TYPE], "no vectype for stmt: _1 = *_2 (line 6)"),
    ([("failure", "vect", 5, "not vectorized: control flow in loop."), NO_TYPE], "control flow in loop"),
    (
        [("note", "vect", 5, "dependence distance  = 0."), ("note", "vect", 5, "dependence distance  = 2."),
         ("failure", "vect", 6, []), ("failure", "vect", 5, "bad data dependence."), NO_TYPE],
        "bad data dependence (distance 2)",
    ),
    ([("failure", "vect", 5, "bad data references."), ("failure", "vect", 5, "odd reduction.")], "odd reduction"),
    ([], "gcc does not say why"),
]  # fmt: skip


@pytest.mark.parametrize(("records", "reason"), REASONS)
def test_the_most_telling_reason_of_all_tries_is_taken(
    records: list[tuple[str, str, int, object]], reason: str
) -> None:
    data = gcc_record(*records, FAILED)
    assert shown(read_gcc_record(data, is_kernel, "gcc")) == [f"5:4 missed vect f: loop not vectorised: {reason}"]


def test_gcc_record_keeps_reasons_of_loops_apart_and_drops_noise() -> None:
    data = gcc_record(
        ("failure", "vect", 5, "not vectorized: control flow in loop."),
        FAILED,
        ("note", "vect", 9, "using an in-order (fold-left) reduction."),
        ("success", "vect", 9, "loop vectorized using 32 byte vectors"),
        ("success", "vect", 12, "loop vectorized using 16 byte vectors"),
        ("failure", "lim", 13, "nothing to see"),
        ("failure", "vect", 0, "no place"),
    )
    remarks = read_gcc_record(data, is_kernel, "gcc")
    assert shown(remarks) == [
        "5:4 missed vect f: loop not vectorised: control flow in loop",
        "9:4 optimised vect f: loop vectorized using 32 byte vectors (in-order reduction)",
        "12:4 optimised vect f: loop vectorized using 16 byte vectors",
    ]
    assert remarks is not None
    assert loop_outcome(remarks, 9, 10).in_order
    assert not loop_outcome(remarks, 12, 12).in_order
    assert loop_outcome(remarks, 5, 5).reason == "control flow in loop"
    assert str(loop_outcome(remarks, 1, 2)) == "not vectorised; the compiler does not say why"
    assert read_gcc_record(data, lambda file: False, "gcc") == []


@pytest.mark.parametrize("data", [b"", b"not gzip", gzip.compress(b"{"), gzip.compress(b"{}"), gzip.compress(b"[1]")])
def test_a_broken_gcc_record_is_none(data: bytes) -> None:
    assert read_gcc_record(data, is_kernel, "gcc") is None


def test_loop_outcome_takes_the_widest_vectors() -> None:
    def remark(line: int, subject: str, message: str) -> Remark:
        return Remark(line, 1, RemarkKind.OPTIMISED, subject, message, "c")

    remarks = [
        remark(3, "vect", "loop vectorized using 16 byte vectors"),
        remark(3, "vect", "loop vectorized using 32 byte vectors"),
        remark(4, "slp", "basic block part vectorized using 64 byte vectors"),
        remark(9, "loop-vectorize", "vectorized loop (vectorization width: vscale x 4, interleaved count: 2)"),
        remark(12, "vect", "loop versioned for vectorization because of possible aliasing"),
    ]
    assert (loop_outcome(remarks, 3, 4).vector_bytes, loop_outcome(remarks, 3, 4).vector_elements) == (32, None)
    assert loop_outcome(remarks, 9, 9).vector_elements == 4
    assert not loop_outcome(remarks, 12, 12).vectorised


CALLGRIND = """\
# callgrind format
version: 1
events: Ir

fl=/x/k.c
fn=kw_call
20 3
calls=1 4
21 1000
fn=kernel
4 2
5 10
fi=/x/inline.h
7 100
fe=/x/k.c
6 20
cfi=/lib/libm.c
cfn=expf
calls=2 50
6 300
cfn=helper
calls=2 9
8 40
8 1

fl=/lib/libm.c
fn=expf
50 300

totals: 1776
"""


def test_callgrind_counts_calls_into_other_files_at_the_calling_line() -> None:
    assert dict(read_callgrind(CALLGRIND, is_kernel)) == {20: 3, 4: 2, 5: 10, 6: 320, 8: 1}
    assert read_callgrind("", is_kernel) == {}


ASSEMBLY = """\
\t.file\t"k.c"
\t.file 1 "/tmp/kw/k.c"
\t.file 2 "/usr/include" "x.h"
\t.type\tf, @function
f:
\t.loc 1 3 1
\tvxorps\t%xmm0, %xmm0, %xmm0
\tjmp\t.L9
.L2:
\t.loc 1 4 5 discriminator 2
\tvmovups\t(%rdi), %ymm1  # a comment
\tvmulps\t%ymm1, %ymm1, %ymm1
\tmovq\t%rax, -8(%rsp)
\tmovq\t-8(%rsp), %rcx
.L3:
\t.loc 2 9 1
\tvaddss\t%xmm1, %xmm0, %xmm0
\tjne\t.L3
\t.loc 1 4 9
\taddq\t$32, %rdi
\tjne\t.L2
\trep ret
.L9:
\tcall\texpf@PLT
\tjmp\t.L2
\t.size\tf, .-f
\t.type\tg, @function
g:
\t.loc 1 8 1
.L5:
\tdivl\t%ecx
\tjmp\t*%rax
\tjmp\t.L5
"""


def test_assembly() -> None:
    folder = Path("/tmp/kw")
    unit = Unit(folder / "k.c", folder, ("cc",), folder, {})
    functions = list(read_assembly(ASSEMBLY, unit))
    assert [function.symbol for function in functions] == ["f", "g"]
    assert [loop[0].mnemonic for loop in functions[0].loops()] == ["vaddss"], "the outer loop is not innermost"
    assert functions[1].loops() == [], "an indirect jump leaves; nothing gets back to the label"
    whole = mix_of(functions[0].instructions)
    assert (whole.vector_bytes, whole.packed_float, whole.scalar_float, whole.calls) == (32, 1, 1, 1)
    assert (whole.spills, whole.reloads) == (1, 1)
    assert {instruction.line for instruction in functions[0].instructions} == {3, 4, 0}
    assert mix_of(functions[1].instructions).divisions == 1
    assert hot_loop(functions, 3, 4) is None, "the innermost loop is of another file"


def test_addresses_of_an_elf_file(tmp_path: Path) -> None:
    header = b"\x7fELF\x02\x01".ljust(32, b"\0") + struct.pack("<Q", 64) + b"\0" * 14 + struct.pack("<HHH", 56, 2, 0)
    segments = struct.pack("<IIQQQQQQ", 1, 4, 0, 0, 0, 0x100, 0x100, 0) + struct.pack(
        "<IIQQQQQQ", 1, 5, 0x1000, 0x3000, 0x3000, 0x200, 0x200, 0
    )
    path = tmp_path / "lib.so"
    path.write_bytes(header.ljust(64, b"\0") + segments)
    address_of = file_offset_to_address(path)
    assert [address_of(offset) for offset in (0x10, 0x1010, 0x1200, 0x500)] == [0x10, 0x3010, None, None]
    path.write_bytes(b"no ELF")
    assert file_offset_to_address(path)(0) is None
