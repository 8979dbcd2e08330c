/** Plain values of the protocol's types, with what a test does not care about filled in. */
import type { JobParams, KernelItem, OfferItem, RuleItem } from "../src/protocol";

export function job(changes: Partial<JobParams> = {}): JobParams {
  return {
    job: 1,
    kind: "optimize",
    uri: "file:///w/dot.c",
    kernel: "dot(int)",
    title: "Optimizing dot",
    state: "running",
    wanted: true,
    step: "",
    done: 0,
    total: 0,
    best: null,
    why: "",
    said: "",
    asks: [],
    ...changes,
  };
}

export function kernel(changes: Partial<KernelItem> = {}): KernelItem {
  return {
    uri: "file:///w/dot.c",
    path: "/w/dot.c",
    folder: "/w",
    language: "c",
    name: "dot",
    signature: "dot(int)",
    line: 3,
    is_open: true,
    contract: "written",
    asks: [],
    ns: null,
    share_of_bound: null,
    bound_by: null,
    stale: false,
    measured_at: null,
    problem: null,
    offers: 0,
    best: null,
    findings: 0,
    job: null,
    ...changes,
  };
}

export function offer(changes: Partial<OfferItem> = {}): OfferItem {
  return {
    id: "o1",
    title: "Keep 4 partial sums: 3.9×",
    kernel: "dot(int)",
    speedup: 3.9,
    low: 3.7,
    high: 4.0,
    assumes: [],
    notes: [],
    ...changes,
  };
}

export function rule(changes: Partial<RuleItem> = {}): RuleItem {
  return {
    name: "float-sum-in-order",
    description: "A float sum with one accumulator",
    language: "c",
    status: "stable",
    origin: "bundled",
    enabled: true,
    utility: null,
    adoptions: 0,
    kernels: 0,
    path: null,
    ...changes,
  };
}
