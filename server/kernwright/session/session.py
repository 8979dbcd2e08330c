"""``Session``: the open documents and what is known of each. One event loop changes it; its edges are handed in."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kernwright.jobs.model import Compiled, JobKind, JobRequest, KernelOptimised, KernelTimed
from kernwright.mirror.messages import (
    Closed,
    DocumentAnalysed,
    Edited,
    FileProblem,
    Opened,
    RemarksKnown,
    Replaced,
    RootClosed,
    RootKnown,
    RootOpened,
    ServeSettings,
)
from kernwright.mirror.model import Analysed, FoundFinding, KernelSummary
from kernwright.session.analysis import Analysis, StartWorker
from kernwright.session.document import Document, OutOfStep, TextEdit, lines_of, well_formed
from kernwright.session.facts import KeptOffer, PlacedKernel
from kernwright.session.folders import Folders
from kernwright.session.jobs import Job, JobQueue, JobState, Start
from kernwright.session.kept_facts import KeptFacts
from kernwright.text import Encoding

Change = tuple[tuple[int, int], tuple[int, int], str] | str
"""A range (start and end as line and column in the editor's units) with its new text, or a whole new text."""


@dataclass
class Listeners:
    """Who wants to hear of changes. All are called in the event loop and must return at once."""

    analysed: list[Callable[[str], None]] = field(default_factory=list["Callable[[str], None]"])
    facts: list[Callable[[str], None]] = field(default_factory=list["Callable[[str], None]"])
    job: list[Callable[[Job], None]] = field(default_factory=list["Callable[[Job], None]"])
    problems: list[Callable[[Path], None]] = field(default_factory=list["Callable[[Path], None]"])
    said: list[Callable[[str], None]] = field(default_factory=list["Callable[[str], None]"])
    closed: list[Callable[[str], None]] = field(default_factory=list["Callable[[str], None]"])
    lost: list[Callable[[str, str], None]] = field(default_factory=list["Callable[[str, str], None]"])


class Session:
    def __init__(self, start_worker: StartWorker, start_job: Start) -> None:
        self.encoding = Encoding.UTF16
        self.listeners = Listeners()
        self.documents: dict[str, Document] = {}
        self.roots: dict[Path, RootKnown] = {}
        self.jobs = JobQueue(start_job, self._job_changed)
        self.analysis = Analysis(start_worker, self._everything, self._heard, self._say)
        self._trusted = False
        self._folders = Folders()
        self._root_of: dict[str, Path] = {}
        self._analysed: dict[str, Analysed] = {}
        self.kept = KeptFacts(self.listeners.facts)
        self._errors: dict[str, tuple[int, tuple[FoundFinding, ...]]] = {}
        self._waiting: dict[str, list[asyncio.Future[Analysed | None]]] = {}
        self._out_of_step: set[str] = set()
        self._serials = 0
        self._revisions = 0
        self._placed: dict[str, tuple[Analysed, int, list[PlacedKernel]]] = {}
        self._revision_of: dict[str, int] = {}
        self._languages: dict[str, str] = {}

    # Workspace folders and trust

    @property
    def trusted(self) -> bool:
        return self._trusted

    def trust(self, trusted: bool) -> None:
        """Whether code of the workspace may be compiled and run. Withdrawing it ends what runs."""
        if trusted == self._trusted:
            return
        self._trusted = trusted
        if not trusted:
            self.jobs.cancel_where(lambda job: True, "the workspace is not trusted")
        for folder in self.folders:
            self.reread(folder)

    @property
    def folders(self) -> tuple[Path, ...]:
        """Those of the workspace, and those that documents outside of it lie in."""
        return tuple(self._folders)

    @property
    def workspace_folders(self) -> tuple[Path, ...]:
        """Those of the workspace alone: files elsewhere are nobody's to look through."""
        return self._folders.of_workspace

    def offer_settings(self, editor: Mapping[str, Any]) -> None:
        """What the editor sets before it is asked."""
        self._folders.offered = self._folders.default = editor

    def configure_all(self, editor: Mapping[str, Any], by_folder: Mapping[Path, Mapping[str, Any]]) -> None:
        """What the editor sets, on top of what it offered: at large, and for single folders."""
        offered = self._folders.offered
        self._folders.default = {**offered, **editor}
        for folder, table in by_folder.items():
            self._folders.configure(folder, {**offered, **table})
            self.reread(folder)

    def open_root(self, folder: Path) -> None:
        self._folders.add(folder, self._folders.default)
        self.reread(folder)
        self._place_anew()

    def close_root(self, folder: Path) -> None:
        if folder in self._folders:
            self._leave(folder)
            self._place_anew()

    def reread(self, folder: Path) -> None:
        """Read the settings, rules and contracts of a folder again, and examine its open files again."""
        if folder in self._folders:
            self.analysis.send(RootOpened(folder, self._folders.editor(folder), self._trusted, self.encoding))

    def root_of(self, path: Path) -> Path:
        """The innermost folder of the workspace that holds a file; the file's own folder where none does."""
        holding = self._folders.holding(path)
        if holding is None:
            holding = path.parent
            self._folders.imply(holding)
            self.reread(holding)
        return holding

    def submit_aside(self, kind: JobKind, folder: Path, name: str, title: str) -> Job:
        """Begin a job about a folder of the workspace, and no document of it, or join one. Nobody's code is run."""
        request = JobRequest(kind, folder, folder, "", b"", name, self._folders.editor(folder), self._trusted)
        return self.jobs.submit(folder.as_uri(), request, title, wanted=False)

    def _leave(self, folder: Path) -> None:
        self._folders.remove(folder)
        self.roots.pop(folder, None)
        self.analysis.send(RootClosed(folder))
        for listener in self.listeners.problems:
            listener(folder)

    def _place_anew(self) -> None:
        """Have documents examined again that another folder holds now."""
        needed: set[Path] = set()
        for document in self.documents.values():
            root = self.root_of(document.path)
            needed.add(root)
            if root != self._root_of.get(document.uri) and document.uri not in self._out_of_step:
                self.analysis.send(self._opening(document))
        for folder in self._folders.unneeded(needed):
            self._leave(folder)

    def settings_of(self, uri: str) -> ServeSettings:
        document = self.documents.get(uri)
        known = self.roots.get(self.root_of(document.path)) if document is not None else None
        return known.settings if known is not None else ServeSettings()

    def file_problems(self) -> list[FileProblem]:
        """What is wrong in files of the folders. Several folders may read one file: who read it last knows it best."""
        found: list[FileProblem] = []
        newer: list[RootKnown] = []
        for known in reversed(self.roots.values()):
            found += [problem for problem in known.problems if not any(_reads(one, problem.path) for one in newer)]
            newer.append(known)
        return found

    # Documents

    def open(self, uri: str, path: Path, language_id: str, language: str, version: int, text: str) -> None:
        """``version`` is the editor's, here and in ``change``: any number, which it wants to see again."""
        if uri in self.documents:
            self.close(uri)
        self._serials += 1
        document = Document(uri, path, language_id, 0, lines_of(well_formed(text)), self._serials, version)
        self.documents[uri] = document
        self._languages[uri] = language
        self.analysis.send(self._opening(document))

    def change(self, uri: str, version: int, changes: Sequence[Change]) -> None:
        """Apply changes in order. A text that can no longer be followed is dropped until the editor gives it whole."""
        document = self.documents.get(uri)
        if document is None:
            self._say(f"{uri}: an edit of a file that is not open is left aside")
            return
        document.client_version = version
        version = document.version + 1
        anew = uri in self._out_of_step
        edits: list[TextEdit] = []
        whole = False
        for change in changes:
            if isinstance(change, str):
                document.replace(well_formed(change), version)
                self._out_of_step.discard(uri)
                whole = True
            elif uri not in self._out_of_step:
                start, end, text = change
                try:
                    edits.append(document.edit(start, end, text, version, self.encoding))
                except OutOfStep as error:
                    self.lose(uri, str(error))
                    anew = True
        document.version = version
        if uri in self._out_of_step:
            return
        if anew:
            self._begin_anew(document)
        elif whole:
            self.analysis.send(Replaced(uri, version, document.data))
        else:
            self.analysis.send(
                Edited(
                    uri,
                    version,
                    tuple((e.start_line, e.start_column, e.end_line, e.end_column, e.new_text) for e in edits),
                )
            )

    def _begin_anew(self, document: Document) -> None:
        """Have a text examined as if it had just been opened."""
        self._serials += 1
        document.begin_anew(self._serials)
        self._analysed.pop(document.uri, None)
        self._errors.pop(document.uri, None)
        self.analysis.send(self._opening(document))

    def close(self, uri: str) -> None:
        if self.documents.pop(uri, None) is None:
            self._out_of_step.discard(uri)
            return
        self._out_of_step.discard(uri)
        self._analysed.pop(uri, None)
        self.kept.forget(uri)
        self._errors.pop(uri, None)
        self._languages.pop(uri, None)
        self._root_of.pop(uri, None)
        self._placed.pop(uri, None)
        self._revision_of.pop(uri, None)
        self._release(uri, None)
        self.jobs.cancel_where(lambda job: job.uri == uri, "its file was closed")
        self.analysis.send(Closed(uri))
        for listener in self.listeners.closed:
            listener(uri)

    def known(self, uri: str) -> Document | None:
        """The document, unless it is not open or out of step."""
        return None if uri in self._out_of_step else self.documents.get(uri)

    def analysed(self, uri: str) -> Analysed | None:
        """The newest result, which may be for an earlier version than the text has."""
        return self._analysed.get(uri)

    def newest(self, uri: str) -> Analysed | None:
        """The result for the newest text, if it is there and complete."""
        document, found = self.known(uri), self._analysed.get(uri)
        if document is None or found is None or found.version != document.version or found.pending:
            return None
        return found

    async def analysed_now(self, uri: str) -> Analysed | None:
        """The result for the newest text, when it is there; None if the document goes first.

        The text may be edited between a result's arrival and the turn of whoever waits for it: then the wait goes on.
        """
        while self.known(uri) is not None:
            found = self.newest(uri)
            if found is not None:
                return found
            future: asyncio.Future[Analysed | None] = asyncio.get_running_loop().create_future()
            self._waiting.setdefault(uri, []).append(future)
            if await future is None:
                return None
        return None

    def findings(self, uri: str) -> tuple[FoundFinding, ...]:
        """Findings of the newest result with the errors of the compiler, if those are for the same text."""
        found = self._analysed.get(uri)
        if found is None:
            return ()
        version, errors = self._errors.get(uri, (-1, ()))
        return (*found.findings, *errors) if version == found.version else found.findings

    def revision(self, uri: str) -> int:
        """A number that changes whenever the findings of a document may have changed."""
        return self._revision_of.get(uri, 0)

    def kernels(self, uri: str) -> list[PlacedKernel]:
        """The kernels of the newest result where they stand in the newest text."""
        document, found = self.known(uri), self._analysed.get(uri)
        if document is None or found is None:
            return []
        known = self._placed.get(uri)
        if known is not None and known[0] is found and known[1] == document.version:
            return known[2]
        placed: list[PlacedKernel] = []
        for kernel in found.kernels:
            now = document.lines_now(kernel.range.start.line, kernel.range.end.line, found.version)
            if now is not None:
                name_line = document.line_now(kernel.name_range.start.line, found.version)
                name_line = now.first if name_line is None else name_line
                placed.append(PlacedKernel(kernel, now.first, now.last, name_line, now.touched))
        self._placed[uri] = found, document.version, placed
        return placed

    def offers(self, uri: str) -> list[tuple[PlacedKernel, KeptOffer]]:
        """Offers that hold for the newest text, by kernel."""
        return [
            (kernel, offer)
            for kernel in self.kernels(uri)
            if not kernel.touched
            for offer in self.kept.facts(uri, kernel.summary.signature).offers_for(kernel.summary.key)
        ]

    # Jobs

    def submit(self, kind: JobKind, uri: str, kernel: KernelSummary | None, *, wanted: bool) -> Job | None:
        """Begin a job on a document's newest text, or join one. None where nothing may be compiled, or is open."""
        document = self.known(uri)
        if document is None or not self._trusted:
            return None
        root = self.root_of(document.path)
        request = JobRequest(
            kind,
            root,
            document.path,
            self._analysed[uri].language if uri in self._analysed else self._languages[uri],
            document.data,
            kernel.signature if kernel is not None else "",
            self._folders.editor(root),
        )
        verb = {JobKind.COMPILE: "Compiling", JobKind.PROFILE: "Profiling", JobKind.OPTIMIZE: "Optimizing"}[kind]
        title = f"{verb} {kernel.name if kernel is not None else document.path.name}"
        origins = self._origins(uri)
        serial, version = document.serial, document.version
        job = self.jobs.submit(uri, request, title, wanted=wanted)
        job.watchers.append(lambda job: self._take(job, serial, version, origins))
        return job

    def _origins(self, uri: str) -> dict[str, tuple[str, ...]]:
        """The lines of each kernel's region in the text that a job is about to be given."""
        document = self.documents[uri]
        return {
            kernel.summary.signature: tuple(document.lines[kernel.first : kernel.last + 1])
            for kernel in self.kernels(uri)
        }

    def _take(self, job: Job, serial: int, version: int, lines: Mapping[str, tuple[str, ...]]) -> None:
        """Keep what a job has found. A job that did not end well has found nothing, one for another opening of the
        document nothing that is known to hold."""
        document = self.documents.get(job.uri)
        if job.state is not JobState.DONE or document is None or document.serial != serial:
            return
        if isinstance(job.result, Compiled):
            self._take_compiled(job.uri, version, job.result, lines)
        elif isinstance(job.result, KernelTimed | KernelOptimised):
            self.kept.take(job.uri, job.result, lines)

    def _take_compiled(self, uri: str, version: int, compiled: Compiled, lines: Mapping[str, tuple[str, ...]]) -> None:
        self.analysis.send(RemarksKnown(uri, compiled.remarks, compiled.build))
        self._errors[uri] = (version, compiled.errors)
        found = self._analysed.get(uri)
        self.kept.take_notes(uri, found.kernels if found is not None else (), compiled, lines)
        self._tell_analysed(uri)

    def _tell_analysed(self, uri: str) -> None:
        self._revisions += 1
        self._revision_of[uri] = self._revisions
        for listener in self.listeners.analysed:
            listener(uri)

    def _job_changed(self, job: Job) -> None:
        for listener in self.listeners.job:
            listener(job)

    # The worker

    def close_all(self) -> None:
        self.jobs.close()
        self.analysis.close()
        for uri in list(self._waiting):
            self._release(uri, None)

    def _everything(self) -> list[object]:
        """What a new worker has to be told."""
        documents = [self._opening(one) for one in self.documents.values() if one.uri not in self._out_of_step]
        roots = [
            RootOpened(folder, self._folders.editor(folder), self._trusted, self.encoding) for folder in self._folders
        ]
        return [*roots, *documents]

    def _opening(self, document: Document) -> Opened:
        root, language = self.root_of(document.path), self._languages[document.uri]
        self._root_of[document.uri] = root
        return Opened(document.uri, document.path, root, language, document.serial, document.version, document.data)

    def _heard(self, message: object) -> None:
        match message:
            case DocumentAnalysed():
                self._take_analysed(message)
            case RootKnown() if message.folder not in self._folders:
                pass
            case RootKnown():
                # Those that were read last stand last.
                self.roots.pop(message.folder, None)
                self.roots[message.folder] = message
                for note in message.notes:
                    self._say(note)
                for listener in self.listeners.problems:
                    listener(message.folder)
            case _:
                self._say(f"the analysis process said something unknown: {type(message).__name__}")

    def _take_analysed(self, message: DocumentAnalysed) -> None:
        document = self.documents.get(message.uri)
        if document is None or document.serial != message.serial or message.uri in self._out_of_step:
            return
        known = self._analysed.get(message.uri)
        if known is not None and message.analysed.version < known.version:
            return
        self._analysed[message.uri] = message.analysed
        if message.analysed.version == document.version and not message.analysed.pending:
            self._release(message.uri, message.analysed)
        # Settings that were read again, for one, may have changed nothing of it.
        if message.analysed != known:
            self._tell_analysed(message.uri)

    def _release(self, uri: str, found: Analysed | None) -> None:
        for future in self._waiting.pop(uri, ()):
            if not future.done():
                future.set_result(found)

    def lose(self, uri: str, why: str) -> None:
        """Give a text up that can no longer be followed, until the editor gives it whole."""
        if uri in self._out_of_step or uri not in self.documents:
            return
        self._out_of_step.add(uri)
        self._analysed.pop(uri, None)
        self._release(uri, None)
        self.analysis.send(Closed(uri))
        for listener in self.listeners.lost:
            listener(uri, why)

    def _say(self, line: str) -> None:
        for listener in self.listeners.said:
            listener(line)


def _reads(known: RootKnown, path: Path) -> bool:
    """Whether a folder's settings and rules come from this file too."""
    return known.folder.is_relative_to(path.parent) or any(problem.path == path for problem in known.problems)


def kernel_at(kernels: Iterable[PlacedKernel], first: int, last: int) -> list[PlacedKernel]:
    """Kernels that a stretch of lines touches."""
    return [kernel for kernel in kernels if kernel.first <= last and first <= kernel.last]
