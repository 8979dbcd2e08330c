"""What tests under kills and under load share: folders that hold all that a server could leave behind, and words."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from shutil import which
from typing import Any

import pytest

from .client import Client
from .exchange import REPLY_SECONDS
from .frames import JsonObject
from .processes import held_locks, left_in, strays

SERVE = (sys.executable, "-c", "import sys; from kernwright.cli import main; sys.exit(main())", "serve", "--stdio")
STATE_SECONDS = 90.0
"""How long a server may take to come to a state on a machine that does other work as well."""
OVER = ("done", "failed", "cancelled")
needs_compiler = pytest.mark.skipif(which("gcc") is None, reason="gcc is not installed")
DOT = """\
/* kernwright
[args]
n = "i32"
x = "in f32[n] in -1..1"
y = "in f32[n] in -1..1"
return = "f32"
[check]
n = [0, 1, 7, 64, 1000]
tolerance = {rel = 1e-4, abs = 1e-4}
[time]
n = 65_536
*/
float dot(int n, const float *x, const float *y)
{
    float sum = 0.0f;
    for (int i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}
"""
"""A kernel with a contract and a finding."""
PRODUCT = """\
/* kernwright
[args]
n = "i32"
a = "in f32[n, n] in -1..1"
b = "in f32[n, n] in -1..1"
c = "out f32[n, n]"
[check]
n = [300, 301, 350]
tolerance = {rel = 1e-3, abs = 1e-3}
[time]
n = 700
*/
void product(int n, const float *a, const float *b, float *c)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            float sum = 0.0f;
            for (int k = 0; k < n; k++)
                sum += a[i * n + k] * b[k * n + j];
            c[i * n + j] = sum;
        }
}
"""
"""A kernel whose every call takes so long that a kill finds it running."""


@dataclass(frozen=True)
class Workplace:
    root: Path
    temporary: Path
    environment: Mapping[str, str]

    @classmethod
    def below(cls, folder: Path, **variables: str) -> Workplace:
        root, temporary = folder / "workspace", folder / "temporary"
        root.mkdir()
        temporary.mkdir()
        environment = {
            **os.environ,
            "TMPDIR": str(temporary),
            "XDG_CACHE_HOME": str(folder / "cache"),
            "XDG_DATA_HOME": str(folder / "data"),
            "XDG_CONFIG_HOME": str(folder / "config"),
            **variables,
        }
        return cls(root, temporary, environment)

    @property
    def data(self) -> Path:
        return Path(self.environment["XDG_DATA_HOME"])

    def write(self, name: str, text: str) -> Path:
        path = self.root / name
        path.write_text(text)
        return path

    def check_nothing_left(self) -> None:
        left = {
            "locks that are held": held_locks(self.data),
            "processes": [*strays(self.temporary), *strays(self.root)],
            "temporary files": left_in(self.temporary),
        }
        found = {what: some for what, some in left.items() if some}
        if found:
            raise AssertionError(f"left behind: {found}")


async def command(client: Client, name: str, timeout: float = REPLY_SECONDS, **arguments: Any) -> Any:
    params = {"command": f"kernwright.{name}", "arguments": [arguments]}
    return await client.request("workspace/executeCommand", params, timeout)


def told(client: Client, method: str) -> list[Any]:
    """The parameters of the notifications of one method, in their order."""
    return [params for name, params in client.notifications if name == method]


def jobs(client: Client) -> dict[int, JsonObject]:
    """What was last said of each job, by its number."""
    return {one["job"]: one for one in told(client, "kernwright/job")}


def state_of(client: Client, number: int) -> str:
    return jobs(client).get(number, {}).get("state", "")


async def job_end(client: Client, number: int, timeout: float = 2 * STATE_SECONDS) -> JsonObject:
    """Wait for a job's end; what was said of it then."""
    await client.wait_for(lambda: state_of(client, number) in OVER, timeout, f"the end of job {number}")
    return jobs(client)[number]
