/**
 * What the machine has: compilers, devices, the sandbox. Looking at it starts compilers, so that is done when the user
 * has asked for something here before, in a trusted workspace, and once for each server.
 */
import * as vscode from "vscode";
import type { Server } from "./client";
import { lineOf } from "./log";
import { MACHINE, type MachineResult } from "./protocol";

const LOOKED = "kernwright.lookedAtMachine";

export class Machine implements vscode.Disposable {
  private found: MachineResult | undefined;
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly parts: vscode.Disposable;

  readonly onChange = this.changed.event;

  constructor(
    private readonly server: Server,
    private readonly state: vscode.Memento,
    private readonly log: vscode.LogOutputChannel,
  ) {
    this.parts = vscode.Disposable.from(
      this.changed,
      server.onState((now) => {
        this.found = undefined;
        if (now.kind === "running" && this.state.get(LOOKED) === true) {
          void this.look(false);
        }
      }),
    );
  }

  get known(): MachineResult | undefined {
    return this.found;
  }

  /** Look, because the user asked. From then on it is also done when a server starts. */
  async lookForUser(): Promise<MachineResult | undefined> {
    await this.state.update(LOOKED, true);
    return this.look(true);
  }

  async look(again: boolean): Promise<MachineResult | undefined> {
    if (!vscode.workspace.isTrusted) {
      return undefined;
    }
    try {
      this.found = await this.server.ask(MACHINE, { again });
    } catch (error) {
      // A server of an earlier version does not know the question.
      this.log.debug(lineOf(error));
    }
    this.changed.fire();
    return this.found;
  }

  dispose(): void {
    this.parts.dispose();
  }
}
