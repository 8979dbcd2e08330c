"""Hints and lenses: what compilers and profilers said, on the right lines while the text goes on changing."""

from __future__ import annotations

from .documents import span, width
from .frames import JsonObject
from .surface import SEARCHED, TEXT, Opened, Served, each_editor, in_vscode, needs_compiler

pytestmark = needs_compiler

LOOP = "for (int i = 0; i < n; i++) /* é𝄞 */\n"
HINTED = TEXT.replace("for (int i = 0; i < n; i++)\n", LOOP, 1)
"""The loop of `dot` stands on a line of many widths."""
FRESH = "vectorised with 32-byte vectors, but its reduction is in order"
STALE = " (source changed)"


def line_of(file: Opened, text: str) -> int:
    return file.document.find(text)["start"]["line"]


def at_line(hints: list[JsonObject], line: int) -> list[str]:
    """The labels of the hints at a line."""
    return [hint["label"] for hint in hints if hint["position"]["line"] == line]


def headline(lenses: list[JsonObject]) -> str:
    return lenses[0]["command"]["title"]


def test_hints_follow_the_text(served: Served) -> None:
    """Edits above move a fact; edits around its line leave it as a stale one; an edit of its line hides it."""

    async def check(file: Opened) -> None:
        assert await file.hints() == []
        await file.compile_on_save()
        hints = await file.hints()
        hint = next(one for one in hints if one["position"]["line"] == line_of(file, LOOP))
        content = file.document.lines[line_of(file, LOOP)].rstrip("\n")
        assert hint["position"]["character"] == width(content, served.case.encoding)
        assert "vectorised" in hint["label"] and STALE not in hint["label"]
        fresh: str = hint["label"]
        resolved = await file.client.request("inlayHint/resolve", hint, about=file.uri)
        formats = served.case.capabilities["textDocument"]["hover"]["contentFormat"]
        assert resolved["tooltip"]["kind"] == formats[0]
        assert "(compiler, just now)" in resolved["tooltip"]["value"]
        assert resolved["label"] == fresh and resolved["position"] == hint["position"]
        # Above the kernel, before anything was analysed and after it.
        file.client.change(file.uri, span(0, 0, 0, 0), "/* é𝄞 */\n\n")
        for _ in range(2):
            assert at_line(await file.hints(), line_of(file, LOOP)) == [fresh]
            assert len(await file.hints()) == len(hints)
            await file.found()
        # Inside, but not on the line.
        file.replace("float sum = 0.0f;", "float sum = 0.0f;\n    /* 𝄞 */\n")
        for _ in range(2):
            assert at_line(await file.hints(), line_of(file, LOOP)) == [fresh + STALE]
            await file.found()
        hint = next(one for one in await file.hints() if one["position"]["line"] == line_of(file, LOOP))
        resolved = await file.client.request("inlayHint/resolve", hint, about=file.uri)
        assert "the source has changed since" in resolved["tooltip"]["value"]
        # On the line itself.
        file.replace("i++) /* é𝄞 */", "++i) /* é𝄞 */")
        for _ in range(2):
            assert at_line(await file.hints(), line_of(file, "++i)")) == []
            await file.found()
        file.replace("++i) /* é𝄞 */", "i++) /* é𝄞 */")
        file.replace("float sum = 0.0f;\n    /* 𝄞 */\n", "float sum = 0.0f;")
        await file.found()
        assert at_line(await file.hints(), line_of(file, LOOP)) == [fresh]

    served.run(check, HINTED)


@in_vscode
def test_hints_of_a_part_of_the_file(served: Served) -> None:
    async def check(file: Opened) -> None:
        await file.compile_on_save()
        hints = await file.hints()
        assert len(hints) == 2
        for hint in hints:
            line = hint["position"]["line"]
            for first, last, wanted in ((line, line, [hint]), (line + 1, line + 1, []), (0, line - 1, [])):
                params = {"textDocument": {"uri": file.uri}, "range": span(first, 0, last, 0)}
                found = await file.client.request("textDocument/inlayHint", params)
                assert [one for one in found if one["position"]["line"] == line] == wanted

    served.run(check, HINTED)


@each_editor
def test_an_editor_is_asked_to_show_new_facts(served: Served) -> None:
    """Where it can be asked; the client itself says when it cannot."""

    async def check(file: Opened) -> None:
        refreshes = file.client.editor.refreshes
        before = dict(refreshes)
        await file.compile_on_save()
        able = served.case.capabilities["workspace"]
        for method, name in (("workspace/inlayHint/refresh", "inlayHint"), ("workspace/codeLens/refresh", "codeLens")):
            assert (refreshes[method] > before.get(method, 0)) == bool(able.get(name, {}).get("refreshSupport"))

    served.run(check, HINTED)


def test_lenses_stand_over_kernels_that_matter(served: Served) -> None:
    async def check(file: Opened) -> None:
        lenses = await file.lenses()
        assert [one["command"]["title"] for one in lenses] == ["dot", "Profile", "Optimize"]
        for lens in lenses:
            assert file.document.at(lens["range"]) == "float dot(int n, const float *x, const float *y)"
            assert await file.client.request("codeLens/resolve", lens, about=file.uri) == lens
        assert lenses[0]["command"]["command"] == "kernwright.showReport"
        file.client.change(file.uri, span(0, 0, 0, 0), "/* é𝄞 */\n")
        moved = await file.lenses()
        assert [one["range"]["start"]["line"] for one in moved] == [
            one["range"]["start"]["line"] + 1 for one in lenses
        ]

    served.run(check)


@each_editor
def test_an_answer_before_its_text_was_examined_is_asked_for_again(served: Served) -> None:
    """A client asks for lenses once: what it was told too early would stay."""

    async def check(file: Opened) -> None:
        refreshes = file.client.editor.refreshes
        able = served.case.capabilities["workspace"].get("codeLens", {}).get("refreshSupport")
        for name in ("product", "dot"):
            before = refreshes["workspace/codeLens/refresh"]
            file.replace("float dot(" if name == "product" else "float product(", f"float {name}(")
            early = await file.lenses()
            await file.found()
            if headline(early) != name and able:
                await file.client.wait_for(
                    lambda before=before: refreshes["workspace/codeLens/refresh"] > before, what="a refresh"
                )
            assert headline(await file.lenses()) == name

    served.run(check)


@in_vscode
def test_a_lens_says_how_fast_a_kernel_is(served: Served) -> None:
    """Its commands do what they say; figures of an earlier text are told as such."""

    async def press(file: Opened, title: str) -> JsonObject:
        lens = next(one for one in await file.lenses() if one["command"]["title"] == title)
        command = {key: lens["command"][key] for key in ("command", "arguments")}
        return await file.client.request("workspace/executeCommand", command)

    async def check(file: Opened) -> None:
        begun = await press(file, "Profile")
        assert (await file.job_end(begun["job"]))["state"] == "done"
        words = headline(await file.lenses())
        assert words.startswith("dot · ") and words.endswith("-bound") and "% of bound" in words, words
        report = await press(file, words)
        assert "| time per call at n = 65536 |" in report["report"]
        file.replace("0.0f", "0.5f")
        for _ in range(2):
            stale = headline(await file.lenses())
            assert stale == f"{words} · source changed, just now"
            await file.found()
        file.replace("0.5f", "0.0f")
        await file.found()
        assert headline(await file.lenses()) == words

    served.run(check, SEARCHED)


@in_vscode
def test_a_lens_counts_verified_rewrites(served: Served) -> None:
    async def check(file: Opened) -> None:
        offers = await file.search()
        titles = [one["command"]["title"] for one in await file.lenses()]
        many = f"{len(offers)} verified rewrite{'s' if len(offers) > 1 else ''}"
        assert titles[1:4] == [many, "Profile", "Optimize"]
        file.client.editor.choices = [offers[0]["title"]]
        lens = next(one for one in await file.lenses() if one["command"]["title"] == many)
        answer = await file.client.request(
            "workspace/executeCommand", {key: lens["command"][key] for key in ("command", "arguments")}
        )
        assert answer["offers"] == [{key: offers[0][key] for key in ("id", "title", "assumes")}]
        await file.client.wait_for(lambda: file.document.text != SEARCHED, what="the chosen rewrite")
        await file.client.wait_for(lambda: file.told("kernwright/offers")[-1]["offers"] == [])
        assert many not in [one["command"]["title"] for one in await file.lenses()]

    served.run(check, SEARCHED)


@in_vscode
def test_a_lens_says_what_runs(served: Served) -> None:
    async def check(file: Opened) -> None:
        begun = await file.command("optimize", uri=file.uri, kernel="dot")
        assert "optimize: running" in headline(await file.lenses())
        await file.command("cancel", job=begun["job"])
        assert headline(await file.lenses()) == "dot"

    served.run(check)
