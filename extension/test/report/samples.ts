/** A report for tests: a dot product that was timed, searched and profiled. */
import type { CandidateItem, ReportResult } from "../../src/protocol";

const UNTIMED = { offer: null, ns: null, speedup: null, low: null, high: null } as const;

export function candidate(changes: Partial<CandidateItem> = {}): CandidateItem {
  return {
    round: 1,
    title: "Keep 4 partial sums at a time",
    outcome: "offered",
    status: "accepted",
    why: "3.90× (3.70–4.00)",
    offer: "dot-1",
    ns: 256,
    speedup: 3.9,
    low: 3.7,
    high: 4,
    rule: null,
    transform: "partial-sums",
    seconds: 2.5,
    ...changes,
  };
}

export function report(changes: Partial<ReportResult> = {}): ReportResult {
  return {
    uri: "file:///w/dot.c",
    path: "/w/dot.c",
    version: 7,
    name: "dot",
    signature: "dot(int, const float*)",
    language: "c",
    first: 10,
    name_line: 11,
    lines: ["/* kernwright */", "float dot(int n, const float *x)", "{", "    sum += x[i];", "}"],
    contract: { state: "written", inferred: false, toml: '[args]\nn = "i32"\n', asks: [], problem: null },
    problem: null,
    timing: {
      ns: 1000,
      low: 990,
      high: 1020,
      how: "measured",
      sizes: [{ name: "n", value: 1024 }],
      bound_ns: 100,
      bound_by: "memory",
      share_of_bound: 0.1,
      compiler: "gcc 12.2.0",
      flags: ["-O3"],
      device: "a processor",
      sandbox: "bubblewrap",
      at: 1_700_000_000,
      stale: false,
    },
    roofline: {
      levels: [
        { name: "L1", capacity: 32_768, bandwidth: 200 },
        { name: "memory", capacity: null, bandwidth: 20 },
      ],
      peak: 100,
      dtype: "f32",
      peaks_how: "measured",
      flops: 2000,
      bytes: 8000,
      work_how: "static",
      working_set: 8192,
      bandwidth: 80,
      intensity: 0.25,
      achieved: 2,
    },
    search: {
      rounds: 3,
      ended: "nothing is left to try",
      withheld: 0,
      at: 1_700_000_000,
      stale: false,
      candidates: [
        candidate({ round: 1, outcome: "slower", status: "slower", offer: null, speedup: 0.9, low: 0.8, high: 1 }),
        candidate({ round: 2, outcome: "refuted", status: "refuted", why: "equal: element 3 differs", ...UNTIMED }),
        candidate({ round: 3 }),
        candidate({ round: 0, outcome: "skipped", status: "skipped", ...UNTIMED }),
      ],
    },
    heat: [
      { line: 13, share: 0.9, ns: 900, words: "90%", detail: "90% of 1 µs", how: "measured", stale: false },
      { line: 13, share: null, ns: null, words: "not vectorised", detail: "why", how: "compiler", stale: false },
    ],
    remarks: ["line 14: loop not vectorized"],
    findings: [{ line: 13, message: "a chain of sums", rule: "float-sum-in-order", severity: "hint", how: "static" }],
    evidence: [
      { what: "time per call", value: "1 µs", how: "measured", at: 1_700_000_000, stale: false },
      { what: "peak of one core, f32", value: "100 GFLOP/s", how: "measured", at: null, stale: false },
    ],
    offers: [
      {
        offer: {
          id: "dot-1",
          title: "Keep 4 partial sums at a time: 3.9×",
          kernel: "dot(int, const float*)",
          speedup: 3.9,
          low: 3.7,
          high: 4,
          assumes: ["no-overlap"],
          notes: ["the machine was busy"],
        },
        ns: 256,
        cases: 196,
        sandbox: "bubblewrap",
        rule: null,
        transform: "partial-sums",
      },
    ],
    ...changes,
  };
}

/** What is known of a kernel that nobody has measured. */
export function unmeasured(): ReportResult {
  return report({ timing: null, roofline: null, search: null, heat: [], remarks: [], evidence: [], offers: [] });
}
