/** Edits of rewrites, actions with their previews, and decisions. */
import assert from "node:assert/strict";
import test from "node:test";
import { confirmed, editsOf, withEdits } from "../src/offers/apply-edits";
import { offerOf, Offers } from "../src/offers/offers";
import { CHANGE_RULE, OFFERS, TAKEN_BACK, TAKE_BACK } from "../src/protocol";
import type { TextDocument } from "vscode";
import { FakeServer } from "./fake/server";
import { CodeAction, CodeActionKind, reset, Uri } from "./fake/vscode";
import { offer } from "./samples";

const edit = (line: number, from: number, toLine: number, to: number, newText: string) => ({
  range: { start: { line, character: from }, end: { line: toLine, character: to } },
  newText,
});
const DOCUMENT = "file:///w/dot.c";

for (const [words, before, edits, after] of [
  ["no edit", "a\nb\n", [], "a\nb\n"],
  ["edits in any order", "abc\ndef\n", [edit(1, 0, 1, 1, "X"), edit(0, 2, 0, 3, "")], "ab\nXef\n"],
  ["an edit over lines", "one\ntwo\nthree\n", [edit(0, 3, 2, 0, " ")], "one three\n"],
  ["insertions at one place", "x\n", [edit(0, 0, 0, 0, "1"), edit(0, 0, 0, 0, "2")], "12x\n"],
  ["an insertion before a replacement", "x\n", [edit(0, 0, 0, 0, "1"), edit(0, 0, 0, 1, "y")], "1y\n"],
  ["line ends of all kinds", "a\r\nb\rc\n", [edit(2, 0, 2, 1, "C"), edit(1, 0, 1, 1, "B")], "a\r\nB\rC\n"],
  ["columns of UTF-16", "𝛼 = 1\n", [edit(0, 5, 0, 6, "2")], "𝛼 = 2\n"],
  ["a place past the end", "a", [edit(3, 0, 3, 0, "\nb")], "a\nb"],
] as const) {
  test(`a text with ${words}`, () => assert.equal(withEdits(before, edits), after));
}

test("an edit of another document is no edit that can be shown", () => {
  const here = (uri: string): boolean => uri === DOCUMENT;
  const one = edit(0, 0, 0, 1, "");
  const change = (uri: string) => ({ textDocument: { uri, version: 1 }, edits: [one] });
  assert.deepEqual(editsOf({ documentChanges: [change(DOCUMENT)] }, here), [one]);
  assert.equal(editsOf({ documentChanges: [change(DOCUMENT), change("file:///w/other.c")] }, here), undefined);
  assert.equal(editsOf({ documentChanges: [{ kind: "delete", uri: DOCUMENT }] }, here), undefined);
  assert.deepEqual(editsOf({ changes: { [DOCUMENT]: [one] } }, here), [one]);
  assert.equal(editsOf({ changes: { "file:///w/other.c": [one] } }, here), undefined);
});

test("what was confirmed is not asked again", () => {
  const one = edit(0, 0, 0, 1, "");
  const textDocument = { uri: DOCUMENT, version: 3 };
  const asked = {
    documentChanges: [{ textDocument, edits: [{ ...one, annotationId: "kernwright" }] }],
    changeAnnotations: { kernwright: { label: "x", needsConfirmation: true } },
  };
  assert.deepEqual(confirmed(asked), { documentChanges: [{ textDocument, edits: [one] }] });
});

function offersWith(server: FakeServer, ...listed: ReturnType<typeof offer>[]): Offers {
  const offers = new Offers(server.asServer);
  server.tell(OFFERS, { uri: DOCUMENT, version: 1, offers: listed });
  return offers;
}

test("each offer among the actions is followed by a look at it, of the same kind", () => {
  reset();
  const offers = offersWith(new FakeServer());
  const taken = Object.assign(new CodeAction("Keep 4 partial sums", CodeActionKind.QuickFix), {
    data: { offer: "o1" },
  });
  const other = new CodeAction("Profile dot", CodeActionKind.RefactorRewrite);
  const document = { uri: Uri.parse(DOCUMENT) } as unknown as TextDocument;
  const listed = offers.withPreviews(document, [taken, other] as never) as unknown as CodeAction[];
  assert.deepEqual(
    listed.map(({ title, kind }) => [title, kind?.value]),
    [
      ["Keep 4 partial sums", "quickfix"],
      ["Preview: Keep 4 partial sums", "quickfix"],
      ["Profile dot", "refactor.rewrite"],
    ],
  );
  assert.deepEqual(listed[1]?.command, {
    title: "Preview: Keep 4 partial sums",
    command: "kernwright.previewOffer",
    arguments: [{ offer: "o1", uri: DOCUMENT }],
  });
  assert.equal(offerOf(other as never), undefined);
});

test("a rejection takes its reason along, and none is sent when the user thinks better of it", async () => {
  const fake = reset();
  const server = new FakeServer();
  const offers = offersWith(server, offer());
  fake.answers.push(undefined);
  assert.equal(await offers.reject("o1"), false);
  assert.deepEqual(server.heard, []);
  fake.answers.push("Not worth it");
  assert.equal(await offers.reject("o1"), true);
  assert.deepEqual(server.heard, [["kernwright.reject", { offer: "o1", reason: "not-worth-it" }]]);
});

test("the last rejection is taken back, once", async () => {
  const fake = reset();
  const server = new FakeServer();
  const offers = offersWith(server, offer());
  await offers.reject("o1", "wrong");
  await offers.takeBack();
  assert.deepEqual(server.heard.at(-1), [TAKE_BACK, { offer: "o1" }]);
  await offers.takeBack();
  assert.equal(server.heard.length, 2);
  assert.match(fake.said.at(-1) ?? "", /Nothing was rejected/);
});

test("what the server has taken back is said, and cannot be taken back again", async () => {
  const fake = reset();
  const server = new FakeServer();
  const offers = offersWith(server, offer());
  await offers.reject("o1", "wrong");
  server.tell(TAKEN_BACK, { uri: DOCUMENT, offer: "o1", title: "Keep 4", decision: "rejected" });
  assert.deepEqual(fake.statusBar, ["$(discard) Rejection taken back: Keep 4"]);
  await offers.takeBack();
  assert.equal(server.heard.length, 1);
});

test("an offer that assumes something is not accepted without a yes", async () => {
  const fake = reset();
  const server = new FakeServer();
  const offers = offersWith(server, offer({ assumes: ["reassociation"] }));
  fake.answers.push(undefined);
  assert.equal(await offers.accept("o1"), false);
  assert.deepEqual(server.heard, []);
});

test("offers that no longer hold are said to be gone, and offers go with their server", async () => {
  reset();
  const server = new FakeServer();
  const offers = offersWith(server, offer());
  assert.equal(offers.book.count, 1);
  assert.deepEqual(
    offers.book.of(DOCUMENT, "dot(int)").map(({ id }) => id),
    ["o1"],
  );
  server.become({ kind: "stopped" });
  assert.equal(offers.book.count, 0);
  await assert.rejects(offers.reject("o1", "wrong"), /no longer offered/);
});

test("a rewrite that was accepted in this session becomes a rule, unless it was taken back", async () => {
  const fake = reset();
  const server = new FakeServer();
  const offers = offersWith(server, offer());
  await offers.promote();
  assert.match(fake.said.at(-1) ?? "", /No rewrite was accepted/);
  await offers.remember(["o1"], { offer: "o1", applied: true });
  assert.deepEqual(server.heard, [["kernwright.accept", { offer: "o1", applied: true }]]);
  // The server withdraws what was accepted.
  server.tell(OFFERS, { uri: DOCUMENT, version: 2, offers: [] });
  server.answers.set(CHANGE_RULE, { rule: "r", path: "/w/.kernwright/rules/r.md", said: "r is a rule now" });
  fake.answers.push("Keep 4 partial sums: 3.9×");
  await offers.promote();
  assert.deepEqual(server.heard.at(-1), [CHANGE_RULE, { name: "o1", change: "promote", folder: null }]);
  assert.equal(fake.said.at(-1), "r is a rule now");
  server.tell(TAKEN_BACK, { uri: DOCUMENT, offer: "o1", title: "Keep 4", decision: "accepted" });
  await offers.promote();
  assert.equal(server.heard.length, 2);
});
