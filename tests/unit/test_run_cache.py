"""The cache of results: content-addressed, whole or not there, and no reason to fail."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernwright.run.cache import Cache, content_key


def test_keys_tell_where_parts_end() -> None:
    assert content_key("ab", "c") != content_key("a", "bc")
    assert content_key("ab", b"c") == content_key(b"ab", "c")
    assert content_key() != content_key("")


def test_what_was_put_is_there_for_the_next_process(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    cache.put("key", b"small")
    cache.put("large", b"x" * (5 << 20))
    cache.close()
    again = Cache(tmp_path)
    assert again.get("key") == b"small"
    assert again.get("large") == b"x" * (5 << 20)
    assert again.get("other") is None


@pytest.mark.parametrize(("size_limit", "kept"), [(64 << 20, True), (6 << 20, False)])
def test_what_was_stored_first_goes_first(tmp_path: Path, size_limit: int, kept: bool) -> None:
    cache = Cache(tmp_path, size_limit=size_limit)
    for number in range(4):
        cache.put(f"{number}", bytes([number]) * (5 << 20))
    assert (cache.get("0") is not None) is kept


def test_no_folder_keeps_nothing() -> None:
    cache = Cache(None)
    cache.put("key", b"value")
    assert cache.get("key") is None


@pytest.mark.parametrize("kind", ["a file in its place", "a folder that cannot be made"])
def test_folder_that_cannot_be_used_is_said_once(tmp_path: Path, kind: str) -> None:
    said: list[str] = []
    blocked = tmp_path / "cache"
    blocked.write_text("no folder")
    folder = blocked if kind == "a file in its place" else blocked / "below"
    cache = Cache(folder, said.append)
    for _ in range(3):
        cache.put("key", b"value")
        assert cache.get("key") is None
    assert len(said) == 1
    assert str(folder) in said[0]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_full_disk_is_said_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    cache = Cache(tmp_path, said.append)

    def full(*_: object, **__: object) -> bool:
        with Path("/dev/full").open("wb", buffering=0) as disk:
            disk.write(b"x")
        return True

    monkeypatch.setattr("diskcache.Cache.set", full)
    cache.put("key", b"value")
    cache.put("key", b"value")
    assert cache.get("key") is None
    assert len(said) == 1
    assert "No space left" in said[0]
