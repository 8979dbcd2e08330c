"""How long an editor waits for Kernwright and for clangd, on the same files, in one run.

    python tests/bench/lsp_latency.py [--quick] [--lines 1000,10000] [--server kernwright|clangd]

The files are generated: C, and C++ with headers of the standard library. Nothing is asserted. The budgets are those
that Kernwright has set itself; a figure over one is marked. On a busy machine the figures are those of a busy machine:
the load is printed with them.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from servers.figures import Figures
from servers.measured import FULL, QUICK, Effort, measured
from servers.started import Server, clangd, kernwright, version_of, write_workspace
from servers.table import table
from sources import SourceLanguage, generated

LANGUAGES: tuple[SourceLanguage, ...] = ("c", "cpp")


def main() -> None:
    parser = argparse.ArgumentParser(description="Latencies of language servers, beside each other.")
    parser.add_argument("--quick", action="store_true", help="fewer samples: percentiles are rough")
    parser.add_argument("--lines", default="1000,10000", help="lengths of the files, by commas")
    parser.add_argument("--server", choices=("kernwright", "clangd"), help="only this one")
    asked = parser.parse_args()
    # The client keeps every reply. Its own search for cycles among them would count as time that a server takes.
    gc.disable()
    servers: list[Server] = []
    for name, made in (("kernwright", kernwright), ("clangd", clangd)):
        if asked.server not in (None, name):
            continue
        match made():
            case Server() as server:
                servers.append(server)
                print(f"{name}: {version_of(server)} ({' '.join(server.argv[1:])})")
            case why:
                print(f"{name}: not measured: {why}")
    for lines in (int(word) for word in asked.lines.split(",")):
        for language in LANGUAGES:
            _show(language, lines, servers, QUICK if asked.quick else FULL)


def _show(language: SourceLanguage, lines: int, servers: list[Server], effort: Effort) -> None:
    text = generated(language, lines)
    figures: dict[str, Figures] = {}
    print(f"\n{language}, {lines} lines", flush=True)
    for server in servers:
        with tempfile.TemporaryDirectory(prefix="kernwright-bench-") as folder:
            root = Path(folder).resolve()
            home, work = root / "home", root / "work"
            home.mkdir()
            work.mkdir()
            name = f"library.{language}"
            write_workspace(work, {name: text})
            load = os.getloadavg()[0]
            figures[server.name] = asyncio.run(measured(server, work / name, text, home, effort))
            print(f"  {server.name}: load {load:.2f} before, {os.getloadavg()[0]:.2f} after", flush=True)
    for row in table(lines, figures):
        print("  " + row)
    for name, one in figures.items():
        for note in one.notes:
            print(f"  {name}: {note}")


if __name__ == "__main__":
    main()
