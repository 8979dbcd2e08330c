/** A server that ends is started again, unless it never came up or ends too often. */
import assert from "node:assert/strict";
import test from "node:test";
import { Crashes } from "../src/crashes";

test("a server that never came up is not tried again", () => {
  assert.equal(new Crashes(() => 0).judge(false), "never-up");
});

test("the fifth end within three minutes is the last", () => {
  let now = 0;
  const crashes = new Crashes(() => now);
  const verdicts = [1, 2, 3, 4, 5].map(() => {
    now += 10_000;
    return crashes.judge(true);
  });
  assert.deepEqual(verdicts, ["restart", "restart", "restart", "restart", "give-up"]);
});

test("ends far apart are forgotten", () => {
  let now = 0;
  const crashes = new Crashes(() => now);
  for (let end = 0; end < 20; end++) {
    now += 60_000;
    assert.equal(crashes.judge(true), "restart");
  }
});

test("a server that ends while it is started again after a crash is tried again, for a while", () => {
  const crashes = new Crashes(() => 0);
  assert.equal(crashes.judge(true), "restart");
  assert.deepEqual(
    [1, 2, 3, 4].map(() => crashes.judge(false)),
    ["restart", "restart", "restart", "give-up"],
  );
});
