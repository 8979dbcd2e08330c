/** Progress of what somebody asked for: shown from the first word to the end, and cancelled by its own button. */
import assert from "node:assert/strict";
import test from "node:test";
import { Jobs, progressWords } from "../src/jobs";
import { JOB } from "../src/protocol";
import { FakeServer } from "./fake/server";
import { reset } from "./fake/vscode";
import { job } from "./samples";

test("a search says how many candidates it tried and the best so far", () => {
  reset();
  assert.equal(progressWords(job({ state: "queued" })), "waiting");
  assert.equal(progressWords(job({ step: "timing dot" })), "timing dot");
  assert.equal(
    progressWords(job({ done: 3, total: 30, best: 5.84, step: "comparing" })),
    "3 of 30 candidates tried · best so far 5.8× · comparing",
  );
  assert.equal(progressWords(job({ kind: "profile", done: 1, total: 2, step: "timing" })), "timing");
});

test("progress is shown, moves on, and ends with its job", async () => {
  const fake = reset();
  const server = new FakeServer();
  const jobs = new Jobs(server.asServer);
  server.tell(JOB, job({ state: "queued" }));
  server.tell(JOB, job({ done: 3, total: 30 }));
  server.tell(JOB, job({ done: 6, total: 30, best: 2 }));
  assert.equal(fake.progress.length, 1);
  const [shown] = fake.progress;
  assert.deepEqual(
    shown?.reports.map(({ increment }) => increment),
    [0, 10, 10],
  );
  assert.equal(fake.contexts.get("kernwright.working"), true);
  assert.equal(jobs.showsProgress("kernwright-job-1"), true);
  server.tell(JOB, job({ state: "done" }));
  await Promise.resolve();
  await new Promise(setImmediate);
  assert.equal(shown.ended, true);
  assert.equal(fake.contexts.get("kernwright.working"), false);
  assert.equal(jobs.showsProgress("kernwright-job-1"), false);
});

test("its button cancels the job and no other", () => {
  const fake = reset();
  const server = new FakeServer();
  const jobs = new Jobs(server.asServer);
  server.tell(JOB, job({ job: 7 }));
  fake.progress[0]?.cancel();
  assert.deepEqual(server.heard, [["kernwright.cancel", { job: 7 }]]);
  jobs.dispose();
});

test("what nobody asked for is left to the status bar", () => {
  const fake = reset();
  const server = new FakeServer();
  const jobs = new Jobs(server.asServer);
  server.tell(JOB, job({ wanted: false }));
  assert.equal(fake.progress.length, 0);
  assert.equal(jobs.showsProgress("kernwright-job-1"), false);
  assert.equal(jobs.board.underWay.length, 1);
});

test("progress does not outlive the server", async () => {
  const fake = reset();
  const server = new FakeServer();
  const jobs = new Jobs(server.asServer);
  server.tell(JOB, job());
  server.become({ kind: "starting" });
  await new Promise(setImmediate);
  assert.equal(fake.progress[0]?.ended, true);
  assert.equal(jobs.board.underWay.length, 0);
});
