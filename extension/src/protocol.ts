// Made from server/kernwright/lsp/ext.py by `make docs`: change that file instead.
// Messages beyond the Language Server Protocol, for views of the editor's own. Each can be left aside.

/** One verified rewrite. `speedup` is the measured factor with its interval `low` to `high`. */
export interface OfferItem {
  readonly id: string;
  readonly title: string;
  readonly kernel: string;
  readonly speedup: number;
  readonly low: number;
  readonly high: number;
  readonly assumes: readonly string[];
  readonly notes: readonly string[];
}

/** `kernwright/offers`, server to client: all offers that hold for a document's newest text. */
export interface OffersParams {
  readonly uri: string;
  readonly version: number;
  readonly offers: readonly OfferItem[];
}

/**
 * `kernwright/job`, server to client: a job has changed. `state` is `queued`, `running`, `done`, `failed` or
 * `cancelled`; `total` is 0 where the number of steps is not known.
 */
export interface JobParams {
  readonly job: number;
  readonly kind: string;
  readonly uri: string;
  readonly kernel: string;
  readonly title: string;
  readonly state: string;
  readonly wanted: boolean;
  readonly step: string;
  readonly done: number;
  readonly total: number;
  readonly why: string;
}

/** One rule. `utility` is null for a rule that memory knows nothing of. */
export interface RuleItem {
  readonly name: string;
  readonly description: string;
  readonly language: string;
  readonly status: string;
  readonly enabled: boolean;
  readonly utility: number | null;
  readonly adoptions: number;
  readonly kernels: number;
  readonly path: string | null;
}

/** `kernwright/rules`, server to client: the rules of a folder may have changed. */
export interface RulesParams {
  readonly folder: string;
  readonly rules: readonly RuleItem[];
}

/** `kernwright/status`, server to client: what the server works with. `rules` counts the rules of a folder. */
export interface StatusParams {
  readonly version: string;
  readonly trusted: boolean;
  readonly folder: string;
  readonly rules: number;
}

/** `kernwright/trust`, client to server: whether the workspace's code may be compiled and run. */
export interface TrustParams {
  readonly trusted: boolean;
}

export const OFFERS = "kernwright/offers";
export const JOB = "kernwright/job";
export const RULES = "kernwright/rules";
export const STATUS = "kernwright/status";
export const TRUST = "kernwright/trust";

/** Notifications that the server sends, by method. */
export interface FromServer {
  readonly [OFFERS]: OffersParams;
  readonly [JOB]: JobParams;
  readonly [RULES]: RulesParams;
  readonly [STATUS]: StatusParams;
}

/** Notifications that the server takes, by method. */
export interface ToServer {
  readonly [TRUST]: TrustParams;
}
