/** A server that answers what a test tells it to, and that can be made to say things. */
import { Disposable, EventEmitter } from "./vscode";
import type { Server, ServerState } from "../../src/client";

export class FakeServer {
  /** Every question and command, as it came. */
  readonly heard: (readonly [string, unknown])[] = [];
  readonly answers = new Map<string, unknown>();
  private readonly handlers = new Map<string, ((params: unknown) => void)[]>();
  private readonly states = new EventEmitter<ServerState>();
  readonly onState = this.states.event;
  state: ServerState = {
    kind: "running",
    version: "1.2.3",
    command: { program: "/bin/kernwright", prefix: [], origin: "path" },
  };
  running: unknown = {};

  /** What the code under test takes; it uses nothing of a server but what is here. */
  get asServer(): Server {
    return this as unknown as Server;
  }

  ask(method: string, params: unknown): Promise<unknown> {
    this.heard.push([method, params]);
    const answer = this.answers.get(method);
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
  }

  execute(command: string, argument: unknown): Promise<unknown> {
    return this.ask(command, argument);
  }

  on(method: string, handler: (params: unknown) => void): Disposable {
    this.handlers.set(method, [...(this.handlers.get(method) ?? []), handler]);
    return new Disposable(() => undefined);
  }

  /** Say a notification. */
  tell(method: string, params: unknown): void {
    for (const handler of this.handlers.get(method) ?? []) {
      handler(params);
    }
  }

  become(state: ServerState): void {
    this.state = state;
    this.running = state.kind === "running" ? {} : undefined;
    this.states.fire(state);
  }
}
