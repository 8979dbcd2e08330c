"""What several processes share: the cache, also when one of them is killed, and the locks of devices."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from multiprocessing.synchronize import Event
from pathlib import Path
from typing import Any

from kernwright.run.cache import Cache
from kernwright.run.locks import device_lock


def _write_for_ever(folder: Path) -> None:
    cache = Cache(folder)
    for number in range(10**6):
        cache.put(f"key {number % 8}", bytes([number % 251]) * (6 << 20))


def test_killed_writer_leaves_no_half_entry(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    for pause in (0.6, 0.9):
        process = context.Process(target=_write_for_ever, args=(tmp_path,))
        process.start()
        time.sleep(pause)
        assert process.pid is not None
        os.kill(process.pid, signal.SIGKILL)
        process.join()
    cache = Cache(tmp_path)
    found = [value for number in range(8) if (value := cache.get(f"key {number}")) is not None]
    for value in found:
        assert value == value[:1] * (6 << 20)
    cache.put("key", b"still works")
    assert cache.get("key") == b"still works"


def test_device_lock_is_held_and_falls_with_its_process(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    held, order = context.Event(), context.Queue()
    process = context.Process(target=_hold, args=(tmp_path, held, order))
    process.start()
    assert held.wait(20)
    with device_lock("host cpu/0", tmp_path):
        order.put("second")
    process.join()
    assert [order.get(timeout=5), order.get(timeout=5)] == ["first lets go", "second"]


def _hold(folder: Path, held: Event, order: Any) -> None:
    with device_lock("host cpu/0", folder):
        held.set()
        time.sleep(0.3)
        order.put("first lets go")
        time.sleep(0.1)
