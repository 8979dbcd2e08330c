"""The timer's plan as bytes, the hash of outputs, and the timer's report."""

from __future__ import annotations

import struct
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from kernwright.contract import Arg, Role
from kernwright.verify.inputs import Values
from kernwright.verify.thunk import Slot, SlotKind
from kernwright.verify.timer_plan import (
    LEARNABLE_ELEMENTS,
    ArgumentRole,
    ElementKind,
    TimerArgument,
    TimerPlan,
    TurnPace,
    arguments_of,
    gathered_places,
    input_sets_wanted,
    output_hash,
)
from kernwright.verify.timer_report import LoadError, Lost, TimerReport, parse_report

OUT32 = TimerArgument(ArgumentRole.OUT, ElementKind.F32, 4, 40)


def plan_for(elements: int, sets: int = 3) -> TimerPlan:
    def values(number: int) -> tuple[Values, ...]:
        return np.array([elements], np.int32), np.full(elements, number, np.float32), np.zeros(elements, np.float32)

    slots = (
        Slot(SlotKind.PARAMETER, Arg("n", Role.SCALAR, "i32")),
        Slot(SlotKind.PARAMETER, Arg("x", Role.IN, "f32", align=128)),
        Slot(SlotKind.PARAMETER, Arg("y", Role.OUT, "f32")),
    )
    return TimerPlan(
        libraries=(Path("/a.so"), Path("/b.so"), Path("/a.so")),
        arguments=arguments_of(slots, values(0)),
        extents=((1, 1), (elements, 1), (elements, 1)),
        sets=tuple(values(number) for number in range(sets)),
        rounds=4,
        seed=9,
        nonce=0xABC,
    )


class TestPlan:
    def test_layout(self) -> None:
        data = plan_for(100).encode()
        header = struct.unpack_from("<35Q", data)
        arguments, extents, sets, set_bytes, values_offset, paths_offset, total = header[-7:]
        assert (header[1], header[3], arguments, extents, sets, total) == (0xABC, 4, 3, 6, 3, len(data))
        assert header[22:28] == (0, 3, 0, 1, 0, 2)
        assert data[paths_offset:].startswith(b"/a.so\0/b.so\0")
        words = struct.unpack_from("<7Q", data, 35 * 8 + 56)
        x_role, x_kind, x_width, x_bytes, x_align, x_offset, x_exchange = words
        assert (x_role, x_kind, x_width, x_bytes, x_align) == (ArgumentRole.IN, ElementKind.F32, 4, 400, 128)
        assert x_exchange == 1
        second_x = np.frombuffer(data, np.float32, 100, values_offset + set_bytes + x_offset)
        assert (second_x == 1.0).all()
        assert struct.unpack_from("<i", data, values_offset) == (100,)

    def test_outputs_take_no_room_in_a_set(self) -> None:
        assert len(plan_for(10_000, sets=1).encode()) < 50_000

    def test_small_arguments_rotate_through_lanes_and_are_always_fresh(self) -> None:
        assert (plan_for(100, sets=16).lanes, plan_for(100).repeat_limit) == (16, 0)
        assert plan_for(1000, sets=16).lanes == 2

    def test_no_more_lanes_than_sets(self) -> None:
        assert plan_for(100, sets=3).lanes == 3

    def test_large_arguments_may_be_used_again(self) -> None:
        large = plan_for(LEARNABLE_ELEMENTS)
        assert large.lanes == 1
        assert large.repeat_limit > 0

    def test_a_cold_call_never_repeats(self) -> None:
        cold = replace(plan_for(LEARNABLE_ELEMENTS), cold=True)
        assert (cold.lanes, cold.repeat_limit) == (1, 0)

    def test_file_scope_arrays_have_one_lane(self) -> None:
        assert replace(plan_for(100, sets=16), single_lane=True).lanes == 1

    def test_more_decisions_than_a_predictor_remembers(self) -> None:
        for elements in (1, 100, 1000, 10_000):
            wanted = input_sets_wanted([np.zeros(elements, np.float32)])
            assert 2 <= wanted <= 64
            assert wanted * elements >= min(64 * elements, 2 * LEARNABLE_ELEMENTS)
        assert input_sets_wanted([np.zeros(10_000_000, np.float32)]) == 2
        assert input_sets_wanted([]) >= 2


class TestHash:
    def values(self) -> Values:
        return np.arange(10, dtype=np.float32)

    def test_one_changed_bit_changes_it(self) -> None:
        base = output_hash([OUT32], [self.values()])
        seen = {base}
        for element in range(10):
            changed = self.values()
            changed.view(np.uint32)[element] ^= 1
            seen.add(output_hash([OUT32], [changed]))
        assert len(seen) == 11

    def test_exchanged_elements_change_it(self) -> None:
        exchanged = self.values()
        exchanged[[2, 7]] = exchanged[[7, 2]]
        assert output_hash([OUT32], [exchanged]) != output_hash([OUT32], [self.values()])

    @pytest.mark.parametrize("sign", [0, 0x80000000])
    def test_any_nan_equals_any_nan(self, sign: int) -> None:
        one, other = self.values(), self.values()
        one.view(np.uint32)[3] = 0x7FC00000
        other.view(np.uint32)[3] = 0x7F800001 | sign
        assert output_hash([OUT32], [one]) == output_hash([OUT32], [other])

    def test_infinity_is_no_nan_and_zeros_have_signs(self) -> None:
        hashes = set[int]()
        for bits in (0x7F800000, 0xFF800000, 0x7FC00000, 0, 0x80000000):
            changed = self.values()
            changed.view(np.uint32)[3] = bits
            hashes.add(output_hash([OUT32], [changed]))
        assert len(hashes) == 5

    def test_integers_have_no_nans(self) -> None:
        argument = replace(OUT32, kind=ElementKind.OPAQUE)
        one, other = (np.array([bits] * 10, np.uint32) for bits in (0x7FC00000, 0x7FC00001))
        assert output_hash([argument], [one]) != output_hash([argument], [other])

    def test_inputs_do_not_count(self) -> None:
        inputs = replace(OUT32, role=ArgumentRole.IN)
        assert output_hash([inputs, OUT32], [self.values(), self.values()]) == output_hash(
            [inputs, OUT32], [None, self.values()]
        )


class TestGathered:
    def test_a_small_output_is_taken_whole(self) -> None:
        assert gathered_places(OUT32, 2, seed=1, set_index=0).tolist() == list(range(10))

    def test_places_in_a_large_one_depend_on_set_and_seed(self) -> None:
        large = replace(OUT32, bytes=4_000_000)
        places = [tuple(gathered_places(large, 2, seed, number).tolist()) for seed, number in ((1, 0), (1, 1), (2, 0))]
        assert len(set(places)) == 3
        assert all(0 <= place < 1_000_000 for place in places[0])


REPORT = """kernwright-timer abc
pace 2 1 0 1 1000
ready 0 0 0 2000 100 1
ready 0 1 0 1000 100 1
turn 0 0 9000 8000 4000 2
sample 0 0 0 0 4000 2 0 0 0 1 0 ff
turn 0 1 5000 4000 2000 2
sample 0 1 3000 1 2000 2 0 1 0 1 0 fe
output 0 1 1 0102
done 1 2000 1000
"""


def parsed(text: str, workers: int = 2) -> TimerReport:
    found = parse_report(text.encode(), 0xABC, workers)
    assert isinstance(found, TimerReport), found
    return found


class TestReport:
    def test_times_are_nanoseconds_of_a_call(self) -> None:
        # Two ticks make a nanosecond, and two calls a sample.
        [[original, candidate]] = parsed(REPORT).rounds
        assert (original.samples[0].call, candidate.samples[0].call, candidate.samples[0].fresh) == (1000, 500, 1500)
        assert (candidate.turns[0].outer, candidate.turns[0].timed) == (2500.0, 1000.0)
        assert candidate.outputs[0].bytes == b"\x01\x02"
        assert candidate.samples[0].hash == 0xFE

    def test_the_pace_goes_back_into_the_next_plan(self) -> None:
        pace = parsed(REPORT).turn_pace
        assert pace == TurnPace(repeats=2, keep=1, settle=False, processor_clock=True, call_ns=1000)
        assert struct.unpack_from("<34Q", replace(plan_for(100), turn_pace=pace).encode())[16:22] == (
            1,
            2,
            1,
            0,
            1,
            1000,
        )

    def test_a_round_without_all_its_workers_does_not_count(self) -> None:
        assert parsed(REPORT, workers=3).rounds == ()

    def test_a_round_with_a_lost_worker_does_not_count(self) -> None:
        found = parsed(REPORT.replace("output 0 1 1 0102", "lost 0 1 silent"))
        assert (found.rounds, found.lost) == ((), (Lost(0, 1, "silent"),))

    def test_a_library_that_does_not_load(self) -> None:
        found = parsed(REPORT.replace("ready 0 1 0", "ready 0 1 2"))
        assert found.refused == ((1, LoadError.NO_SYMBOL),)

    @pytest.mark.parametrize(
        "text",
        ["", REPORT.replace("abc", "abd"), REPORT.replace("done 1 2000 1000\n", ""), REPORT.replace("1000\n", "0\n")],
        ids=["empty", "another run's number", "cut off", "no time passed"],
    )
    def test_a_report_that_is_not_ours(self, text: str) -> None:
        assert isinstance(parse_report(text.encode(), 0xABC, 2), str)

    def test_a_long_interrupted_call_is_timed_by_its_processor_time(self) -> None:
        line = "sample 0 0 9000 1 0 0 3000 1 {waited} 1 0 ff\n"
        head, tail = REPORT.split("sample 0 0 0 0 4000 2 0 0 0 1 0 ff\n")

        def time_of(waited: int) -> float:
            worker = parsed(head + line.format(waited=waited) + tail).rounds[0][0]
            return worker.time_of(worker.samples[0])

        assert time_of(waited=0) == 3000.0
        # One that slept has no processor time for that, but took it.
        assert time_of(waited=1) == 4500.0
