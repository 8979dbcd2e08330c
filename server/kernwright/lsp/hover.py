"""hover."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kernwright.lsp.server import KernwrightServer


def register(server: KernwrightServer) -> None:
    _ = server
