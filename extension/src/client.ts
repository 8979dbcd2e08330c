/**
 * The server's life: found, started, stopped, started anew after a crash. One server serves all folders of a window.
 *
 * Starting and stopping are done one after the other, whatever asks for them at the same time.
 */
import * as vscode from "vscode";
import type * as lsp from "vscode-languageclient/node";
import { findServer, type NoServer, type Places, type ServerCommand } from "./launch/find-server";
import { Crashes } from "./crashes";
import { SECTION } from "./config";
import { SELECTOR } from "./documents";
import { lineOf, logLines } from "./log";
import { TRUST, type FromServer, type Requests } from "./protocol";
import type { ServerApi } from "./server-api";

export type ServerState =
  | { readonly kind: "stopped" }
  | { readonly kind: "starting" }
  | { readonly kind: "running"; readonly version: string; readonly command: ServerCommand }
  | { readonly kind: "missing"; readonly why: string | undefined }
  | { readonly kind: "failed"; readonly why: string };

/** What a server is started with. Read anew at every start, since settings and trust change. */
export interface Surroundings {
  readonly places: () => Places;
  readonly options: () => object;
  readonly middleware: lsp.Middleware;
  /** Handlers of what the server asks for, by method. */
  readonly answers: Readonly<Record<string, () => unknown>>;
  /** A folder that is nobody's workspace: programs are started there. */
  readonly home: string;
  readonly log: vscode.LogOutputChannel;
}

type Handler = readonly [method: string, handler: (params: unknown) => void];

const STOP_MS = 3000;
const MOST_ERRORS = 5;

export class Server implements ServerApi, vscode.Disposable {
  private client: lsp.LanguageClient | undefined;
  private queue: Promise<void> = Promise.resolve();
  private readonly handlers = new Set<Handler>();
  private readonly attached = new Map<Handler, vscode.Disposable>();
  private readonly changed = new vscode.EventEmitter<ServerState>();
  private readonly crashed = new vscode.EventEmitter<"restart" | "give-up">();
  private crashes = new Crashes();
  private current: ServerState = { kind: "stopped" };
  /** The file that messages are recorded in, while they are. */
  trace: string | undefined;

  readonly onState = this.changed.event;
  readonly onCrash = this.crashed.event;

  constructor(private readonly around: Surroundings) {}

  get state(): ServerState {
    return this.current;
  }

  /** The client of the running server, for what is about its conversions. */
  get running(): lsp.LanguageClient | undefined {
    return this.current.kind === "running" ? this.client : undefined;
  }

  start(): Promise<void> {
    return this.inTurn(() => this.begin());
  }

  stop(): Promise<void> {
    return this.inTurn(() => this.end());
  }

  restart(): Promise<void> {
    return this.inTurn(async () => {
      await this.end();
      await this.begin();
    });
  }

  /** Start anew if another server would be found now than the one that runs. */
  restartIfOther(): Promise<void> {
    return this.inTurn(() => this.beginOther());
  }

  /** The workspace is trusted now: tell the server, and take the one that may be started from now on. */
  trusted(): Promise<void> {
    return this.inTurn(async () => {
      await this.running?.sendNotification(TRUST, { trusted: true });
      await this.beginOther();
    });
  }

  /** Tell a running server that settings have changed; it asks for those that it wants. */
  settingsChanged(): Promise<void> {
    return this.inTurn(async () => {
      await this.running?.sendNotification("workspace/didChangeConfiguration", { settings: null });
    });
  }

  async ask<M extends keyof Requests>(method: M, params: Requests[M]["params"]): Promise<Requests[M]["result"]> {
    return this.need().sendRequest<Requests[M]["result"]>(method, params);
  }

  async execute(command: string, argument: object): Promise<unknown> {
    return this.need().sendRequest("workspace/executeCommand", { command, arguments: [argument] });
  }

  on<M extends keyof FromServer>(method: M, handler: (params: FromServer[M]) => void): vscode.Disposable {
    const entry: Handler = [method, handler as (params: unknown) => void];
    this.handlers.add(entry);
    this.attach(entry);
    return new vscode.Disposable(() => {
      this.handlers.delete(entry);
      this.attached.get(entry)?.dispose();
      this.attached.delete(entry);
    });
  }

  dispose(): void {
    void this.stop();
    this.changed.dispose();
    this.crashed.dispose();
  }

  private need(): lsp.LanguageClient {
    const client = this.running;
    if (client === undefined) {
      throw new Error(vscode.l10n.t("The Kernwright server is not running."));
    }
    return client;
  }

  private inTurn(work: () => Promise<void>): Promise<void> {
    const turn = this.queue.then(work);
    this.queue = turn.catch((error: unknown) => {
      this.around.log.error(lineOf(error));
    });
    return this.queue;
  }

  private become(state: ServerState): void {
    this.current = state;
    this.changed.fire(state);
  }

  private async begin(): Promise<void> {
    if (this.client !== undefined) {
      return;
    }
    this.become({ kind: "starting" });
    let found: ServerCommand | NoServer;
    try {
      found = await findServer(this.around.places());
    } catch (error) {
      this.become({ kind: "failed", why: lineOf(error) });
      return;
    }
    if ("missing" in found) {
      this.around.log.warn(found.why === undefined ? "no server was found" : `${found.why} is no program`);
      this.become({ kind: "missing", why: found.why });
      return;
    }
    this.around.log.info(`starting ${[found.program, ...found.prefix].join(" ")} (${found.origin})`);
    this.crashes = new Crashes();
    // Loaded here and not at the top: it takes longer than all else that activation does.
    const library = await import("vscode-languageclient/node");
    const client = this.clientFor(found, library);
    this.client = client;
    for (const handler of this.handlers) {
      this.attach(handler);
    }
    for (const [method, answer] of Object.entries(this.around.answers)) {
      client.onRequest(method, answer);
    }
    client.onDidChangeState(({ newState }) => {
      if (this.client === client && newState === library.State.Running) {
        const version = client.initializeResult?.serverInfo?.version ?? "";
        this.become({ kind: "running", version, command: found });
      }
    });
    try {
      await client.start();
    } catch (error) {
      this.around.log.error(lineOf(error));
      await this.forget(client);
      this.become({ kind: "failed", why: lineOf(error) });
    }
  }

  private async beginOther(): Promise<void> {
    const found = await findServer(this.around.places());
    const now = this.current.kind === "running" ? this.current.command : undefined;
    if ("missing" in found ? now === undefined : found.program === now?.program) {
      return;
    }
    await this.end();
    await this.begin();
  }

  private async end(): Promise<void> {
    const client = this.client;
    if (client !== undefined) {
      await this.forget(client);
    }
    if (this.current.kind !== "stopped") {
      this.become({ kind: "stopped" });
    }
  }

  private async forget(client: lsp.LanguageClient): Promise<void> {
    this.client = undefined;
    for (const one of this.attached.values()) {
      one.dispose();
    }
    this.attached.clear();
    try {
      await client.dispose(STOP_MS);
    } catch (error) {
      // A server that has gone already cannot be told to go.
      this.around.log.debug(lineOf(error));
    }
  }

  private attach(entry: Handler): void {
    const client = this.client;
    if (client !== undefined && !this.attached.has(entry)) {
      this.attached.set(entry, client.onNotification(entry[0], entry[1]));
    }
  }

  private clientFor({ program, prefix }: ServerCommand, library: typeof lsp): lsp.LanguageClient {
    const { log, home, options, middleware } = this.around;
    const trace = this.trace === undefined ? [] : ["--trace", this.trace];
    const executable: lsp.Executable = {
      command: program,
      args: [...prefix, "serve", ...trace],
      transport: library.TransportKind.stdio,
      options: { cwd: home },
    };
    return new library.LanguageClient(
      SECTION,
      "Kernwright",
      { run: executable, debug: executable },
      {
        documentSelector: SELECTOR,
        initializationOptions: options,
        outputChannel: log,
        middleware,
        stdioOptions: {
          stdout: (stream) => {
            logLines(stream, log);
          },
          stderr: (stream) => {
            logLines(stream, log);
          },
        },
        errorHandler: this.errorHandler(library),
        initializationFailedHandler: () => false,
        markdown: { isTrusted: false, supportHtml: false },
      },
    );
  }

  /** What the client does about errors of the connection and ends of the server; it says nothing itself. */
  private errorHandler({ CloseAction, ErrorAction }: typeof lsp): lsp.ErrorHandler {
    return {
      error: (_error, _message, count) => ({
        action: (count ?? 0) < MOST_ERRORS ? ErrorAction.Continue : ErrorAction.Shutdown,
        handled: true,
      }),
      closed: () => {
        const verdict = this.crashes.judge(this.current.kind === "running");
        if (verdict === "restart") {
          this.become({ kind: "starting" });
        } else if (verdict === "give-up") {
          void this.giveUp();
        }
        if (verdict !== "never-up") {
          this.crashed.fire(verdict);
        }
        return { action: verdict === "restart" ? CloseAction.Restart : CloseAction.DoNotRestart, handled: true };
      },
    };
  }

  private giveUp(): Promise<void> {
    return this.inTurn(async () => {
      if (this.client !== undefined) {
        await this.forget(this.client);
      }
      this.become({ kind: "failed", why: vscode.l10n.t("The server keeps ending.") });
    });
  }
}
