// Made from server/kernwright/lsp/ext.py and its neighbours by `make docs`: change those files instead.
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
 * `kernwright/job`, server to client: a job has changed. `total` is 0 where the number of steps is not known; for a
 * search the steps are candidates, and `best` is the largest speed-up so far. `uri` is the folder's for a job that is
 * about no document. `said` is what a finished job has come to, `asks` what the contract has to say first. A client
 * that shows these itself says `showsJobs` in its initialization options, and is sent no message boxes about the ends
 * of jobs.
 */
export interface JobParams {
  readonly job: number;
  readonly kind: string;
  readonly uri: string;
  readonly kernel: string;
  readonly title: string;
  readonly state: "queued" | "running" | "done" | "failed" | "cancelled";
  readonly wanted: boolean;
  readonly step: string;
  readonly done: number;
  readonly total: number;
  readonly best: number | null;
  readonly why: string;
  readonly said: string;
  readonly asks: readonly string[];
}

/**
 * One rule. `status` is `stable`, `preview`, `learned` or `cold`, `origin` is `bundled`, `user` or `workspace`: where
 * its file lies. `utility` is null for a rule that memory knows nothing of.
 */
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
  readonly origin: string;
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

/**
 * `kernwright/takenBack`, server to client: a decision no longer counts, since its edit was undone or somebody took
 * it back. It is the answer of `kernwright/takeBack` too.
 */
export interface TakenBackParams {
  readonly uri: string;
  readonly offer: string;
  readonly title: string;
  readonly decision: "accepted" | "rejected";
}

/**
 * `kernwright/kernelsChanged`, server to client: something of a document's kernels has changed that
 * `kernwright/kernels` or `kernwright/report` would say.
 */
export interface KernelsChangedParams {
  readonly uri: string;
}

/** `kernwright/trust`, client to server: whether the workspace's code may be compiled and run. */
export interface TrustParams {
  readonly trusted: boolean;
}

/** `kernwright/rules`, client to server: the rules of every folder, or of the one that is named. */
export interface RulesRequest {
  readonly folder?: string | null;
}

export interface RulesResult {
  readonly folders: readonly RulesParams[];
}

/**
 * `kernwright/changeRule`, client to server: switch a rule on or off in a folder, make an accepted offer or a cold
 * rule resident, or take a learned rule out of service. Without `folder` it is the first one.
 */
export interface ChangeRuleParams {
  readonly name: string;
  readonly change: "enable" | "disable" | "promote" | "demote";
  readonly folder?: string | null;
}

/**
 * `rule` is the rule's name, which is new for an offer that was promoted; `path` is the file that was written; `said`
 * is a line for a person.
 */
export interface ChangeRuleResult {
  readonly rule: string;
  readonly path: string;
  readonly said: string;
}

/** `kernwright/testRule`, client to server: run the cases that a rule's file holds. Only analysis is run. */
export interface TestRuleParams {
  readonly name: string;
  readonly folder?: string | null;
}

/**
 * One mark, finding or silent case of a rule. `line` counts from 0 in `path`; `outcome` is `found`, `ignored`,
 * `noisy` or `missing`.
 */
export interface CaseItem {
  readonly path: string;
  readonly line: number;
  readonly outcome: string;
  readonly passed: boolean;
  readonly detail: string;
}

/** `problems` are lines about the file itself. */
export interface TestRuleResult {
  readonly rule: string;
  readonly passed: boolean;
  readonly cases: readonly CaseItem[];
  readonly problems: readonly string[];
}

/** `kernwright/ruleText`, client to server: the text of a rule's file, also of one inside of an archive. */
export interface RuleTextParams {
  readonly name: string;
  readonly folder?: string | null;
}

/** `path` is null where an editor cannot open the file. */
export interface RuleTextResult {
  readonly name: string;
  readonly path: string | null;
  readonly text: string;
}

/**
 * `kernwright/machine`, client to server: what this machine has for work on kernels. It is looked at once, and anew
 * with `again`; in a workspace that is not trusted it is not looked at, for that starts compilers.
 */
export interface MachineParams {
  readonly folder?: string | null;
  readonly again?: boolean;
}

/** One part of the machine, such as a compiler. `adds` says what it is for, `remedy` how to get it. */
export interface PartItem {
  readonly name: string;
  readonly found: boolean;
  readonly version: string;
  readonly adds: string;
  readonly remedy: string;
}

/**
 * `looked_at` is in seconds of the epoch, and null where nothing was looked at; `model` names the model that proposes
 * rewrites, null where none does. `strong` says whether the sandbox keeps native code from files and network.
 */
export interface MachineResult {
  readonly trusted: boolean;
  readonly looked_at: number | null;
  readonly device: string | null;
  readonly sandbox: string | null;
  readonly strong: boolean | null;
  readonly model: string | null;
  readonly parts: readonly PartItem[];
  readonly jobs: readonly JobParams[];
}

/**
 * `kernwright/takeBack`, client to server: take a decision of this session back, so that its offer holds again. An
 * acceptance is taken back by undoing its edit, and by nothing else.
 */
export interface TakeBackParams {
  readonly offer: string;
}

/**
 * `kernwright/kernels`, client to server: the kernels of all open files, and of the folders' other files as far as
 * these were looked through. With `search` that is done first: files are parsed, and nothing is run.
 */
export interface KernelsParams {
  readonly search?: boolean;
}

/**
 * One kernel; `folder` is that of the workspace. `is_open` is false for one of a file that was looked through: of its
 * speed nothing is known. `share_of_bound` is 1 where nothing is left to gain; `best` is the speed-up of the best
 * offer.
 */
export interface KernelItem {
  readonly uri: string;
  readonly path: string;
  readonly folder: string;
  readonly language: string;
  readonly name: string;
  readonly signature: string;
  readonly line: number;
  readonly is_open: boolean;
  readonly contract: "none" | "written" | "file" | "broken";
  readonly asks: readonly string[];
  readonly ns: number | null;
  readonly share_of_bound: number | null;
  readonly bound_by: string | null;
  readonly stale: boolean;
  readonly measured_at: number | null;
  readonly problem: string | null;
  readonly offers: number;
  readonly best: number | null;
  readonly findings: number;
  readonly job: string | null;
}

/**
 * `searched_at` is when the folders were looked through, null if they were not; `left_out` counts files that were not
 * read, because there are too many or they are too long.
 */
export interface KernelsResult {
  readonly kernels: readonly KernelItem[];
  readonly searched_at: number | null;
  readonly left_out: number;
}

/** `kernwright/report`, client to server: all that is known of one kernel, named by its signature or its name. */
export interface ReportParams {
  readonly uri: string;
  readonly kernel: string;
}

/** `toml` is null where none can be said; `inferred` says that nobody has written it. */
export interface ContractItem {
  readonly state: "none" | "written" | "file" | "broken";
  readonly inferred: boolean;
  readonly toml: string | null;
  readonly asks: readonly string[];
  readonly problem: string | null;
}

export interface SizeItem {
  readonly name: string;
  readonly value: number;
}

/** The kernel's time per call, with its interval, at some sizes. */
export interface TimingItem {
  readonly ns: number;
  readonly low: number;
  readonly high: number;
  readonly how: "measured" | "counted" | "compiler" | "static" | "estimated" | "proved";
  readonly sizes: readonly SizeItem[];
  readonly bound_ns: number | null;
  readonly bound_by: string | null;
  readonly share_of_bound: number | null;
  readonly compiler: string;
  readonly flags: readonly string[];
  readonly device: string;
  readonly sandbox: string | null;
  readonly at: number;
  readonly stale: boolean;
}

/** A cache, or memory (capacity null), and the bytes per nanosecond that one core gets out of it. */
export interface LevelItem {
  readonly name: string;
  readonly capacity: number | null;
  readonly bandwidth: number;
}

/**
 * The peaks of one core of this machine, and where the kernel stands below them. `flops` and `bytes` are those of one
 * call at the sizes of the timing, as its contract says or analysis has it; `dtype` is the type whose peak counts.
 * `intensity` is operations per byte; `achieved` is operations per nanosecond. `bandwidth` is what a working set of
 * `working_set` bytes can get at most.
 */
export interface RooflineItem {
  readonly levels: readonly LevelItem[];
  readonly peak: number | null;
  readonly dtype: string;
  readonly peaks_how: "measured" | "counted" | "compiler" | "static" | "estimated" | "proved";
  readonly flops: number | null;
  readonly bytes: number | null;
  readonly work_how: "measured" | "counted" | "compiler" | "static" | "estimated" | "proved";
  readonly working_set: number;
  readonly bandwidth: number;
  readonly intensity: number | null;
  readonly achieved: number | null;
}

/**
 * One candidate of the last search. `round` counts from 1, and is 0 for one that was not tried. `outcome` is `beaten`
 * where it is faster and another one is better; `ns` is its time per call, where it was timed.
 */
export interface CandidateItem {
  readonly round: number;
  readonly title: string;
  readonly outcome: "offered" | "beaten" | "slower" | "refuted" | "inconclusive" | "skipped";
  readonly status: string;
  readonly why: string;
  readonly offer: string | null;
  readonly ns: number | null;
  readonly speedup: number | null;
  readonly low: number | null;
  readonly high: number | null;
  readonly rule: string | null;
  readonly transform: string | null;
  readonly seconds: number;
}

/**
 * The last search. `candidates` are in the order in which they were tried; `withheld` counts verified rewrites that
 * are not offered, because somebody rejected them before.
 */
export interface SearchItem {
  readonly rounds: number;
  readonly ended: string;
  readonly withheld: number;
  readonly at: number;
  readonly stale: boolean;
  readonly candidates: readonly CandidateItem[];
}

/** What is known of one line as it stands now. `share` is its part of the kernel's time, `ns` that of one call. */
export interface HeatItem {
  readonly line: number;
  readonly share: number | null;
  readonly ns: number | null;
  readonly words: string;
  readonly detail: string;
  readonly how: "measured" | "counted" | "compiler" | "static" | "estimated" | "proved";
  readonly stale: boolean;
}

export interface FindingItem {
  readonly line: number;
  readonly message: string;
  readonly rule: string;
  readonly severity: string;
  readonly how: "measured" | "counted" | "compiler" | "static" | "estimated" | "proved";
}

/** One figure with how it was had, and when; `at` is null where it is no moment's. */
export interface EvidenceItem {
  readonly what: string;
  readonly value: string;
  readonly how: "measured" | "counted" | "compiler" | "static" | "estimated" | "proved";
  readonly at: number | null;
  readonly stale: boolean;
}

/** One offer that holds for the newest text, with what it rests on. */
export interface ReportOffer {
  readonly offer: OfferItem;
  readonly ns: number;
  readonly cases: number;
  readonly sandbox: string;
  readonly rule: string | null;
  readonly transform: string | null;
}

/**
 * All that is known of one kernel. `lines` is its text from line `first` on; `problem` is why there is no time, where
 * somebody asked for one.
 */
export interface ReportResult {
  readonly uri: string;
  readonly path: string;
  readonly version: number;
  readonly name: string;
  readonly signature: string;
  readonly language: string;
  readonly first: number;
  readonly name_line: number;
  readonly lines: readonly string[];
  readonly contract: ContractItem;
  readonly problem: string | null;
  readonly timing: TimingItem | null;
  readonly roofline: RooflineItem | null;
  readonly search: SearchItem | null;
  readonly heat: readonly HeatItem[];
  readonly remarks: readonly string[];
  readonly findings: readonly FindingItem[];
  readonly evidence: readonly EvidenceItem[];
  readonly offers: readonly ReportOffer[];
}

export const OFFERS = "kernwright/offers";
export const JOB = "kernwright/job";
export const RULES = "kernwright/rules";
export const STATUS = "kernwright/status";
export const TAKEN_BACK = "kernwright/takenBack";
export const KERNELS_CHANGED = "kernwright/kernelsChanged";
export const TRUST = "kernwright/trust";
export const CHANGE_RULE = "kernwright/changeRule";
export const TEST_RULE = "kernwright/testRule";
export const RULE_TEXT = "kernwright/ruleText";
export const MACHINE = "kernwright/machine";
export const TAKE_BACK = "kernwright/takeBack";
export const KERNELS = "kernwright/kernels";
export const REPORT = "kernwright/report";

/** Notifications that the server sends, by method. */
export interface FromServer {
  readonly [OFFERS]: OffersParams;
  readonly [JOB]: JobParams;
  readonly [RULES]: RulesParams;
  readonly [STATUS]: StatusParams;
  readonly [TAKEN_BACK]: TakenBackParams;
  readonly [KERNELS_CHANGED]: KernelsChangedParams;
}

/** Notifications that the server takes, by method. */
export interface ToServer {
  readonly [TRUST]: TrustParams;
}

/** Requests that the server answers, by method. */
export interface Requests {
  readonly [RULES]: { readonly params: RulesRequest; readonly result: RulesResult };
  readonly [CHANGE_RULE]: { readonly params: ChangeRuleParams; readonly result: ChangeRuleResult };
  readonly [TEST_RULE]: { readonly params: TestRuleParams; readonly result: TestRuleResult };
  readonly [RULE_TEXT]: { readonly params: RuleTextParams; readonly result: RuleTextResult };
  readonly [MACHINE]: { readonly params: MachineParams; readonly result: MachineResult };
  readonly [TAKE_BACK]: { readonly params: TakeBackParams; readonly result: TakenBackParams };
  readonly [KERNELS]: { readonly params: KernelsParams; readonly result: KernelsResult };
  readonly [REPORT]: { readonly params: ReportParams; readonly result: ReportResult };
}
