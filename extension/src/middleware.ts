/**
 * What is changed between the editor and the server: Python files without kernels are kept from it, settings are given
 * as far as they were made, commands get the kernel at the cursor, and offers their preview.
 */
import * as vscode from "vscode";
import type { ConfigurationParams, Middleware } from "vscode-languageclient/node";
import { SECTION, serverSettings } from "./config";
import type { ServedDocuments } from "./documents";
import { confirmed } from "./offers/apply-edits";

const NO_CANCELLATION = new vscode.CancellationTokenSource().token;

/** What middleware leaves to others. */
export interface Hooks {
  /** Names of the server's settings. */
  readonly settingNames: readonly string[];
  /** Add to the actions that the server lists. */
  readonly withPreviews: (
    document: vscode.TextDocument,
    actions: readonly (vscode.Command | vscode.CodeAction)[],
  ) => (vscode.Command | vscode.CodeAction)[];
  /** Carry out one of the server's commands for the user. */
  readonly command: (command: string, args: readonly unknown[]) => Promise<unknown>;
  /** Whether a job's progress is already shown by the extension. */
  readonly showsProgress: (token: string | number) => boolean;
}

export function middleware(served: ServedDocuments, hooks: Hooks): Middleware {
  return {
    didOpen: async (document, next) => {
      if (served.open(document)) {
        await next(document);
      }
    },
    didChange: async (event, next) => {
      if (served.has(event.document)) {
        await next(event);
      }
    },
    didSave: async (document, next) => {
      if (served.has(document)) {
        await next(document);
      }
    },
    didClose: async (document, next) => {
      if (served.close(document)) {
        await next(document);
      }
    },
    provideHover: (document, position, token, next) =>
      served.has(document) ? next(document, position, token) : undefined,
    provideCodeLenses: (document, token, next) => (served.has(document) ? next(document, token) : undefined),
    provideInlayHints: (document, range, token, next) =>
      served.has(document) ? next(document, range, token) : undefined,
    provideCompletionItem: (document, position, context, token, next) =>
      served.has(document) ? next(document, position, context, token) : undefined,
    provideInlineCompletionItems: (document, position, context, token, next) =>
      served.has(document) ? next(document, position, context, token) : undefined,
    provideCodeActions: async (document, range, context, token, next) => {
      const actions = served.has(document) ? await next(document, range, context, token) : undefined;
      return actions === undefined || actions === null ? actions : hooks.withPreviews(document, actions);
    },
    provideDiagnostics: (document, previous, token, next) =>
      document instanceof vscode.Uri || served.has(document) ? next(document, previous, token) : undefined,
    executeCommand: (command, args: unknown[]) => hooks.command(command, args),
    handleWorkDoneProgress: (token, params, next) => {
      if (!hooks.showsProgress(token)) {
        next(token, params);
      }
    },
    workspace: {
      // The server asks for edits when the user has asked it for them, and assumptions were confirmed before that.
      handleApplyEdit: (params, next) => next({ ...params, edit: confirmed(params.edit) }, NO_CANCELLATION),
      configuration: (params, token, next) => {
        const own = params.items.every((item) => item.section === SECTION);
        return own ? settingsOf(params, hooks.settingNames) : next(params, token);
      },
    },
  };
}

function settingsOf(params: ConfigurationParams, names: readonly string[]): Record<string, unknown>[] {
  return params.items.map(({ scopeUri }) =>
    serverSettings(names, scopeUri === undefined ? undefined : vscode.Uri.parse(scopeUri)),
  );
}
