/** What views and commands need of the running server: typed requests and notifications, and nothing of its life. */
import type { Disposable } from "vscode";
import type { FromServer, Requests } from "./protocol";

/** Messages beyond the protocol, by their names in `protocol.ts`. */
export interface ServerApi {
  /** Rejects with one clear line when no server runs. */
  ask<M extends keyof Requests>(method: M, params: Requests[M]["params"]): Promise<Requests[M]["result"]>;
  /** Calls the handler for every server that runs from now on, until it is disposed of. */
  on<M extends keyof FromServer>(method: M, handler: (params: FromServer[M]) => void): Disposable;
  /** A command of the server's, such as `kernwright.optimize`; the answer is the server's own. */
  execute(command: string, argument: object): Promise<unknown>;
}
