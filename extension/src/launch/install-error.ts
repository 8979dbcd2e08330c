/** Why the private environment could not be made, and in which words that is said: one line with what to do. */
import * as vscode from "vscode";

export type InstallProblem =
  | "no-wheel"
  | "no-python"
  | "no-venv"
  | "offline"
  | "no-build"
  | "disk-full"
  | "cancelled"
  | "other";

export class InstallError extends Error {
  constructor(
    readonly problem: InstallProblem,
    readonly detail = "",
  ) {
    super(problem);
    this.name = "InstallError";
  }
}

/** In the order in which they are looked for: what comes first is the cause of what comes later. */
const SIGNS: readonly (readonly [RegExp, InstallProblem])[] = [
  [/No space left on device|ENOSPC|not enough space on the disk/i, "disk-full"],
  [/ensurepip is not|No module named (?:venv|ensurepip)|virtual environment was not created/i, "no-venv"],
  [
    new RegExp(
      [
        "Temporary failure in name resolution",
        "Name or service not known",
        "nodename nor servname",
        "getaddrinfo failed",
        "Network is unreachable",
        "No route to host",
        "Connection refused",
        "ConnectTimeout",
        "Max retries exceeded",
        "NewConnectionError",
        "Failed to establish a new connection",
        "error sending request",
        "dns error",
        "Could not connect",
        "client error \\(Connect\\)",
      ].join("|"),
      "i",
    ),
    "offline",
  ],
  [/No interpreter found|No virtual or system environment|Python executable .* not found/i, "no-python"],
  [/No matching distribution found|no (?:matching )?wheels|No solution found|unsatisfiable/i, "no-build"],
];

/** What the output of pip, venv or uv says about why it failed. */
export function explained(output: string): InstallError {
  const found = SIGNS.find(([sign]) => sign.test(output));
  return new InstallError(found?.[1] ?? "other", lastError(output));
}

/** The line that says most: the last one that calls itself an error, or the last one at all. */
function lastError(output: string): string {
  const lines = output
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  const errors = lines.filter((line) => /^(?:error|fatal)\b/i.test(line));
  return (errors.at(-1) ?? lines.at(-1) ?? "").replace(/^error:\s*/i, "");
}

export function installWords({ problem, detail }: InstallError): string {
  switch (problem) {
    case "no-wheel":
      return vscode.l10n.t("This copy of the extension holds no server; set kernwright.server.path to one.");
    case "no-python":
      return detail === ""
        ? vscode.l10n.t(
            "Python 3.11 or newer is needed and was not found; install it, or set kernwright.server.python.",
          )
        : vscode.l10n.t(
            "Python 3.11 or newer is needed; found {0}. Install a newer one, or set kernwright.server.python.",
            detail,
          );
    case "no-venv":
      return vscode.l10n.t(
        "This Python cannot make environments; install its venv package (python3-venv) and try again.",
      );
    case "offline":
      return vscode.l10n.t(
        "The package index cannot be reached; connect and try again, or install the offline package of this extension.",
      );
    case "no-build":
      return vscode.l10n.t("A package that the server needs is not to be had for this Python or platform: {0}", detail);
    case "disk-full":
      return vscode.l10n.t("The disk is full; the server takes about 200 MB.");
    case "cancelled":
      return vscode.l10n.t("The installation was cancelled.");
    case "other":
      return vscode.l10n.t("The server could not be installed: {0}", detail);
  }
}
