/**
 * Settings. Those of the extension itself say how the server is started; all others are the server's, and are sent to
 * it as far as somebody has set them: what is only a default here must not win over a `kernwright.toml`.
 */
import * as vscode from "vscode";

export const SECTION = "kernwright";

/** Settings that only the extension reads, by their first word. */
const OWN = new Set(["server", "welcome"]);

/** Settings that name programs, flags or folders. The manifest restricts the same ones in untrusted workspaces. */
export const RESTRICTED: ReadonlySet<string> = new Set([
  "server.path",
  "server.python",
  "compiler",
  "defaultFlags",
  "allowedCompilers",
  "target",
  "cache",
  "data",
  "allowWeakSandbox",
  "model",
]);

/** Changing it starts the server anew. */
export const SERVER_PATH = "kernwright.server.path";

export type InstallPolicy = "ask" | "automatically" | "never";

/** How the server is started. An empty text is a setting that nobody made. */
export interface LaunchSettings {
  readonly path: string;
  readonly python: string;
  readonly install: InstallPolicy;
}

export function launchSettings(): LaunchSettings {
  const settings = vscode.workspace.getConfiguration(`${SECTION}.server`);
  const install = settings.get<string>("install");
  return {
    path: (settings.get<string>("path") ?? "").trim(),
    python: (settings.get<string>("python") ?? "").trim(),
    install: install === "automatically" || install === "never" ? install : "ask",
  };
}

export function wantsWelcome(): boolean {
  return vscode.workspace.getConfiguration(SECTION).get<boolean>("welcome") ?? true;
}

/** The names of the server's settings, out of the manifest's. */
export function serverSettingNames(manifest: unknown): string[] {
  const { contributes } = manifest as { contributes?: { configuration?: { properties?: object } } };
  return Object.keys(contributes?.configuration?.properties ?? {})
    .map((name) => name.slice(SECTION.length + 1))
    .filter((name) => !OWN.has(name.split(".", 1)[0] ?? ""));
}

/** The server's settings that somebody has made for a place, as the server reads them. */
export function serverSettings(names: readonly string[], resource: vscode.Uri | undefined): Record<string, unknown> {
  const settings = vscode.workspace.getConfiguration(SECTION, resource ?? null);
  const made: Record<string, unknown> = {};
  for (const name of names) {
    const found = settings.inspect(name);
    if (found !== undefined && isMade(found, RESTRICTED.has(name))) {
      made[name] = settings.get(name);
    }
  }
  return made;
}

interface Layers {
  readonly globalValue?: unknown;
  readonly workspaceValue?: unknown;
  readonly workspaceFolderValue?: unknown;
}

function isMade(found: Layers, restricted: boolean): boolean {
  if (found.globalValue !== undefined) {
    return true;
  }
  const ofWorkspace = found.workspaceValue !== undefined || found.workspaceFolderValue !== undefined;
  return ofWorkspace && (vscode.workspace.isTrusted || !restricted);
}
