/**
 * The Python interpreter that the user has selected, by either of the extensions that know: Python Environments, or
 * Python. Both are optional, and neither is waited for long.
 */
import * as vscode from "vscode";

const PATIENCE_MS = 4000;

interface PythonEnvironments {
  getEnvironment?(scope: vscode.Uri | undefined): Promise<{ execInfo?: { run?: { executable?: string } } } | undefined>;
  onDidChangeEnvironment?: vscode.Event<unknown>;
}

interface PythonExtension {
  environments?: {
    getActiveEnvironmentPath(resource?: vscode.Uri): { path: string };
    resolveEnvironment(environment: {
      path: string;
    }): Promise<{ executable?: { uri?: vscode.Uri | undefined } } | undefined>;
    onDidChangeActiveEnvironmentPath?: vscode.Event<unknown>;
  };
}

/** Undefined where neither extension is there, or where it has no answer. */
export async function selectedPython(folder: vscode.Uri | undefined): Promise<string | undefined> {
  return (await patiently(byPythonEnvironments(folder))) ?? (await patiently(byPythonExtension(folder)));
}

/** Calls back when the user selects another interpreter. Wakes no extension that sleeps. */
export function onSelectedPython(changed: () => void): vscode.Disposable {
  const events = [
    (active("ms-python.vscode-python-envs") as PythonEnvironments | undefined)?.onDidChangeEnvironment,
    (active("ms-python.python") as PythonExtension | undefined)?.environments?.onDidChangeActiveEnvironmentPath,
  ];
  return vscode.Disposable.from(...events.flatMap((event) => (event === undefined ? [] : [event(changed)])));
}

async function byPythonEnvironments(folder: vscode.Uri | undefined): Promise<string | undefined> {
  const api = await activated<PythonEnvironments>("ms-python.vscode-python-envs");
  return (await api?.getEnvironment?.(folder))?.execInfo?.run?.executable;
}

async function byPythonExtension(folder: vscode.Uri | undefined): Promise<string | undefined> {
  const environments = (await activated<PythonExtension>("ms-python.python"))?.environments;
  if (environments === undefined) {
    return undefined;
  }
  const resolved = await environments.resolveEnvironment(environments.getActiveEnvironmentPath(folder));
  return resolved?.executable?.uri?.fsPath;
}

async function activated<Api>(id: string): Promise<Api | undefined> {
  return vscode.extensions.getExtension<Api>(id)?.activate();
}

/** What an extension exports that is active already. */
function active(id: string): unknown {
  const extension = vscode.extensions.getExtension<unknown>(id);
  return extension?.isActive === true ? extension.exports : undefined;
}

/** What another extension says in time; whatever goes wrong there is as good as no answer. */
async function patiently<T>(answer: Promise<T | undefined>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => {
      resolve(undefined);
    }, PATIENCE_MS);
  });
  try {
    return await Promise.race([answer, late]);
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}
