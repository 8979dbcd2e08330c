"""Memory that this process has and no longer needs."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import sys


def settle() -> None:
    """Take what is loaded by now for what stays: the search for cycles need not go through it again and again."""
    gc.collect()
    gc.freeze()


def give_back_memory() -> None:
    """Give memory that is free to the system: the C library keeps it, though it may be most of what there is."""
    gc.collect()
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).malloc_trim(0)
