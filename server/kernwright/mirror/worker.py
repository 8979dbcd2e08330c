"""``python -m kernwright.mirror.worker``: the analysis worker. News first, then the document that was edited last."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty

from kernwright.engine import Engine
from kernwright.mirror.analyse import Analyser
from kernwright.mirror.answers import answer_to
from kernwright.mirror.document import MirroredDocument
from kernwright.mirror.messages import (
    Answer,
    Asked,
    Closed,
    DocumentAnalysed,
    Edited,
    Opened,
    Refused,
    RemarksKnown,
    Replaced,
    RootClosed,
    RootOpened,
)
from kernwright.mirror.model import Analysed
from kernwright.mirror.roots import Root, known_root
from kernwright.mirror.shared import shortened
from kernwright.run.memory import give_back_memory, settle
from kernwright.run.served import Line, serve
from kernwright.syntax import Language
from kernwright.targets.model import BuildCommand, Remark
from kernwright.tasks.examine import active_rules

_QUIET_SECONDS = 0.6


@dataclass
class OpenDocument:
    """A mirrored document, with what was asked of it."""

    opened: Opened
    mirrored: MirroredDocument
    remarks: Mapping[str, tuple[Remark, ...]] = field(default_factory=dict[str, "tuple[Remark, ...]"])
    build: BuildCommand | None = None
    told: bool = False
    """Whether there was a complete answer for it."""
    last: Analysed | None = None
    """What was told of it last."""


class AnalysisWorker:
    """Messages change its documents; between messages the documents that changed are examined, the last one first."""

    def __init__(self, line: Line) -> None:
        self._line = line
        self.documents: dict[str, OpenDocument] = {}
        self.roots: dict[Path, Root] = {}
        self._changed: OrderedDict[str, None] = OrderedDict()
        """Whether a document was closed whose memory has not been given back yet."""

    def run(self) -> None:
        while True:
            self._hear(self._next() if not self._changed else None)
            while self._changed and self._line.news.empty():
                self._examine(next(reversed(self._changed)))

    def _next(self) -> object:
        """The next message. When nobody has said anything for a while, what the last ones have cost is given back."""
        try:
            return self._line.news.get(timeout=_QUIET_SECONDS)
        except Empty:
            give_back_memory()
        return self._line.news.get()

    def _hear(self, message: object) -> None:
        """Take a message and all that wait behind it: of many edits only what they come to is examined."""
        try:
            while True:
                if message is not None:
                    self._take(message)
                message = self._line.news.get_nowait()
        except Empty:
            return

    def _take(self, message: object) -> None:
        match message:
            case Opened():
                self._forget(message.uri)
                document = MirroredDocument(message.path, message.data, message.version, Language(message.language))
                self.documents[message.uri] = OpenDocument(message, document)
                self._touch(message.uri)
            case Edited(uri, version, edits) if uri in self.documents:
                self.documents[uri].mirrored.edit(edits, version)
                self._touch(uri)
            case Replaced(uri, version, data) if uri in self.documents:
                self.documents[uri].mirrored.replace(data, version)
                self._touch(uri)
            case Closed(uri):
                self._forget(uri)
            case RootOpened():
                root, known = known_root(message)
                self.roots[message.folder] = root
                self._line.send(known)
                for uri, document in self.documents.items():
                    if document.opened.root == message.folder:
                        self._touch(uri)
            case RootClosed(folder):
                self.roots.pop(folder, None)
            case RemarksKnown(uri, remarks, build) if uri in self.documents:
                self.documents[uri].remarks, self.documents[uri].build = remarks, build
                self._touch(uri)
            case Asked(number, question):
                self._line.send(Answer(number, self._answer(question)))
            case _:
                pass

    def _answer(self, question: object) -> object:
        try:
            return answer_to(question, self)
        except Exception as error:
            # A question that cannot be answered is no reason to lose the documents.
            return Refused(f"internal error: {type(error).__name__}; please report it")

    def _touch(self, uri: str) -> None:
        self._changed[uri] = None
        self._changed.move_to_end(uri)

    def _forget(self, uri: str) -> None:
        document = self.documents.pop(uri, None)
        self._changed.pop(uri, None)
        if document is not None:
            analyser = self._analyser(document)
            if analyser is not None:
                analyser.forget(document.mirrored)

    def _analyser(self, document: OpenDocument) -> Analyser | None:
        root = self.roots.get(document.opened.root)
        return root.analyser if root is not None else None

    def engine_of(self, document: OpenDocument) -> Engine | None:
        root = self.roots.get(document.opened.root)
        return root.engine if root is not None else None

    def _examine(self, uri: str) -> None:
        document = self.documents[uri]
        analyser = self._analyser(document)
        if analyser is None:
            del self._changed[uri]
            return
        engine = self.roots[document.opened.root].engine
        analysed = analyser.analyse(
            document.mirrored,
            engine.workspace_file,
            document.remarks,
            rules=active_rules(engine, document.mirrored.path),
            build=document.build,
            is_obsolete=lambda: not self._line.news.empty(),
            # Later on a part would take findings off the screen that are about to come back.
            hand_out=None if document.told else lambda part: self._tell(document, part),
        )
        if analysed is None:
            return
        del self._changed[uri]
        document.told = True
        self._tell(document, analysed)

    def _tell(self, document: OpenDocument, analysed: Analysed) -> None:
        whole = DocumentAnalysed(document.opened.uri, document.opened.serial, analysed)
        self._line.send(whole if document.last is None else shortened(document.last, whole))
        document.last = analysed


def work(line: Line) -> None:
    os.nice(1)
    settle()
    AnalysisWorker(line).run()


if __name__ == "__main__":
    serve(work)
