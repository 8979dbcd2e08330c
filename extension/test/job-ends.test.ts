/** What is said when a job ends, and where its buttons lead. */
import assert from "node:assert/strict";
import test from "node:test";
import { tellJobEnds } from "../src/job-ends";
import { Offers } from "../src/offers/offers";
import { JOB, KERNELS } from "../src/protocol";
import type { LogOutputChannel } from "vscode";
import { FakeServer } from "./fake/server";
import { fake, reset, window } from "./fake/vscode";
import { job, kernel } from "./samples";

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function told(changes: Parameters<typeof kernel>[0], ...answers: unknown[]): FakeServer {
  reset().answers.push(...answers);
  const server = new FakeServer();
  server.answers.set(KERNELS, { kernels: [kernel(changes)], searched_at: null, left_out: 0 });
  server.answers.set("kernwright.insertContract", { contract: "", asks: [] });
  tellJobEnds(
    server.asServer,
    new Offers(server.asServer),
    window.createOutputChannel() as unknown as LogOutputChannel,
  );
  return server;
}

test("a search that was asked for says what it came to", async () => {
  const server = told({ offers: 1 }, "Report");
  server.tell(JOB, job({ state: "done", said: "1 verified rewrite" }));
  await settled();
  assert.deepEqual(fake.said, ["dot: 1 verified rewrite"]);
  assert.deepEqual(fake.executed, [["kernwright.showReport", { uri: "file:///w/dot.c", kernel: "dot(int)" }]]);
});

test("a kernel whose contract says too little is led to one", async () => {
  const server = told({ contract: "none" }, "Insert Contract");
  server.tell(JOB, job({ state: "done", said: "the contract has to say more", asks: ["how long x is"] }));
  await settled();
  assert.ok(server.heard.some(([command]) => command === "kernwright.insertContract"));
});

test("a job that failed says why, and nothing is said of one that nobody asked for, or that was cancelled", async () => {
  const server = told({});
  server.tell(JOB, job({ state: "cancelled", said: "cancelled" }));
  server.tell(JOB, job({ state: "done", wanted: false, said: "compiled" }));
  server.tell(JOB, job({ state: "running", said: "" }));
  await settled();
  assert.deepEqual(fake.said, []);
  server.tell(JOB, job({ state: "failed", said: "gcc: no such file" }));
  await settled();
  assert.deepEqual(fake.said, ["dot: gcc: no such file"]);
});
