/**
 * A thin fake of the editor's API: what the extension's own logic touches, and no more. What it is told is kept in
 * `fake`, and what the user would answer is set there; a part that is not here fails loudly when it is used.
 */
import path from "node:path";

type Listener<T> = (event: T) => unknown;

export class Disposable {
  constructor(private readonly act: () => void) {}
  static from(...all: { dispose(): unknown }[]): Disposable {
    return new Disposable(() => {
      for (const one of all) {
        one.dispose();
      }
    });
  }
  dispose(): void {
    this.act();
  }
}

export class EventEmitter<T> {
  private readonly listeners = new Set<Listener<T>>();
  readonly event = (listener: Listener<T>): Disposable => {
    this.listeners.add(listener);
    return new Disposable(() => this.listeners.delete(listener));
  };
  fire(event: T): void {
    for (const listener of [...this.listeners]) {
      listener(event);
    }
  }
  dispose(): void {
    this.listeners.clear();
  }
}

export class Uri {
  private constructor(
    readonly scheme: string,
    readonly path: string,
    readonly query = "",
    readonly fragment = "",
  ) {}
  static file(file: string): Uri {
    return new Uri("file", file);
  }
  static from(parts: { scheme: string; path: string; query?: string; fragment?: string }): Uri {
    return new Uri(parts.scheme, parts.path, parts.query, parts.fragment);
  }
  static parse(text: string): Uri {
    const found = /^(\w[\w+-]*):(?:\/\/)?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/.exec(text);
    if (found === null) {
      throw new Error(`no URI: ${text}`);
    }
    return new Uri(found[1] ?? "", decodeURIComponent(found[2] ?? ""), found[3], found[4]);
  }
  get fsPath(): string {
    return this.path;
  }
  with({ fragment }: { fragment: string }): Uri {
    return new Uri(this.scheme, this.path, this.query, fragment);
  }
  toString(): string {
    const escaped = this.path.split("/").map(encodeURIComponent).join("/");
    return `${this.scheme}://${escaped}${this.query && `?${this.query}`}${this.fragment && `#${this.fragment}`}`;
  }
}

export class Position {
  constructor(
    readonly line: number,
    readonly character: number,
  ) {}
}

export class Range {
  readonly start: Position;
  readonly end: Position;
  constructor(start: Position, end: Position);
  constructor(startLine: number, startCharacter: number, endLine: number, endCharacter: number);
  constructor(...at: [Position, Position] | [number, number, number, number]) {
    [this.start, this.end] = at.length === 2 ? at : [new Position(at[0], at[1]), new Position(at[2], at[3])];
  }
}

export class Selection extends Range {}

export class CancellationTokenSource {
  readonly token = { isCancellationRequested: false };
}

export class ThemeIcon {
  static readonly File = new ThemeIcon("file");
  static readonly Folder = new ThemeIcon("folder");
  constructor(readonly id: string) {}
}

export class ThemeColor {
  constructor(readonly id: string) {}
}

export class TreeItem {
  constructor(
    readonly label: unknown,
    readonly collapsibleState = 0,
  ) {}
}

export class CodeActionKind {
  static readonly RefactorRewrite = new CodeActionKind("refactor.rewrite");
  static readonly QuickFix = new CodeActionKind("quickfix");
  constructor(readonly value: string) {}
}

export class CodeAction {
  command: unknown;
  constructor(
    readonly title: string,
    readonly kind?: CodeActionKind,
  ) {}
}

export class Diagnostic {
  source = "";
  code = "";
  constructor(
    readonly range: Range,
    readonly message: string,
    readonly severity: number,
  ) {}
}

export class TabInputTextDiff {
  constructor(
    readonly original: Uri,
    readonly modified: Uri,
  ) {}
}

export const TreeItemCollapsibleState = { None: 0, Collapsed: 1, Expanded: 2 };
export const DiagnosticSeverity = { Error: 0, Warning: 1 };
export const ProgressLocation = { Window: 10, Notification: 15 };
export const StatusBarAlignment = { Left: 1, Right: 2 };
export const LanguageStatusSeverity = { Information: 0, Warning: 1, Error: 2 };
export const QuickPickItemKind = { Separator: -1, Default: 0 };
export const ViewColumn = { Active: -1, Beside: -2 };
export const TextEditorRevealType = { InCenterIfOutsideViewport: 2 };

interface Layers {
  globalValue?: unknown;
  workspaceValue?: unknown;
}

interface Progress {
  readonly title: string | undefined;
  readonly reports: { message?: string; increment?: number }[];
  ended: boolean;
  cancel(): void;
}

function fresh() {
  return {
    trusted: true,
    /** Settings by their full names. */
    settings: new Map<string, Layers>(),
    folders: [] as string[],
    /** Everything that was said to the user, of whatever kind. */
    said: [] as string[],
    /** What the user answers to the next questions, in order: a button, or what is picked. */
    answers: [] as unknown[],
    executed: [] as unknown[][],
    log: [] as string[],
    statusBar: [] as string[],
    bars: [] as { text: string; tooltip: string }[],
    contexts: new Map<string, unknown>(),
    commands: new Map<string, (...args: unknown[]) => unknown>(),
    progress: [] as Progress[],
    views: new Map<string, { message?: string }>(),
    diagnostics: new Map<string, readonly Diagnostic[]>(),
  };
}

export let fake = fresh();

/** Forget everything: each test begins with this. */
export function reset(): typeof fake {
  fake = fresh();
  return fake;
}

const nothing = new EventEmitter<never>();

function ask(message: string): Promise<unknown> {
  fake.said.push(message);
  return Promise.resolve(fake.answers.shift());
}

export const l10n = {
  t: (message: string, ...args: unknown[]): string =>
    message.replace(/\{(\d+)\}/g, (_, index: string) => String(args[Number(index)])),
};

export const env = { language: "en" };

export const commands = {
  registerCommand: (name: string, act: (...args: unknown[]) => unknown): Disposable => {
    if (fake.commands.has(name)) {
      throw new Error(`command '${name}' already exists`);
    }
    fake.commands.set(name, act);
    return new Disposable(() => fake.commands.delete(name));
  },
  executeCommand: (name: string, ...args: unknown[]): Promise<unknown> => {
    if (name === "setContext") {
      fake.contexts.set(String(args[0]), args[1]);
      return Promise.resolve(undefined);
    }
    fake.executed.push([name, ...args]);
    return Promise.resolve(fake.commands.get(name)?.(...args));
  },
};

export const window = {
  activeTextEditor: undefined,
  tabGroups: {
    all: [] as { tabs: { input: unknown }[] }[],
    activeTabGroup: { activeTab: undefined },
    onDidChangeTabs: nothing.event,
    close: (): Promise<boolean> => Promise.resolve(true),
  },
  showInformationMessage: ask,
  showWarningMessage: ask,
  showErrorMessage: ask,
  showInputBox: ({ title }: { title: string }) => ask(title),
  showQuickPick: (items: { label: string }[], { title, placeHolder }: { title?: string; placeHolder?: string }) => {
    fake.said.push(title ?? placeHolder ?? "");
    const wanted = fake.answers.shift();
    return Promise.resolve(items.find((item) => item.label === wanted));
  },
  setStatusBarMessage: (message: string) => fake.statusBar.push(message),
  createOutputChannel: () => {
    const write = (line: string): number => fake.log.push(line);
    const silent = (): void => undefined;
    return { info: write, warn: write, error: write, debug: silent, trace: silent, show: silent, dispose: silent };
  },
  createStatusBarItem: () => {
    const item = { text: "", tooltip: "", show: () => undefined, dispose: () => undefined };
    fake.bars.push(item);
    return item;
  },
  registerWebviewPanelSerializer: () => new Disposable(() => undefined),
  createTreeView: (id: string) => {
    const view = { message: "", dispose: () => undefined };
    fake.views.set(id, view);
    return view;
  },
  withProgress: async (
    { title }: { title?: string },
    work: (progress: unknown, token: unknown) => Promise<unknown>,
  ): Promise<unknown> => {
    const cancelled = new EventEmitter<undefined>();
    const shown: Progress = { title, reports: [], ended: false, cancel: () => cancelled.fire(undefined) };
    fake.progress.push(shown);
    try {
      const report = (step: { message?: string; increment?: number }): number => shown.reports.push(step);
      return await work({ report }, { onCancellationRequested: cancelled.event });
    } finally {
      shown.ended = true;
    }
  },
};

export const extensions = { getExtension: () => undefined };

export const languages = {
  createLanguageStatusItem: () => ({ text: "", detail: "", dispose: () => undefined }),
  createDiagnosticCollection: () => ({
    set: (uri: Uri, diagnostics: readonly Diagnostic[]) => fake.diagnostics.set(uri.fsPath, diagnostics),
    dispose: () => undefined,
  }),
};

export const workspace = {
  get isTrusted(): boolean {
    return fake.trusted;
  },
  get workspaceFolders(): { uri: Uri }[] {
    return fake.folders.map((folder) => ({ uri: Uri.file(folder) }));
  },
  getWorkspaceFolder: () => undefined,
  asRelativePath: (uri: Uri): string => path.basename(uri.fsPath),
  onDidCloseTextDocument: nothing.event,
  onDidGrantWorkspaceTrust: nothing.event,
  onDidChangeConfiguration: nothing.event,
  registerTextDocumentContentProvider: () => new Disposable(() => undefined),
  openTextDocument: (uri: Uri) => Promise.resolve({ uri }),
  getConfiguration: (section: string) => ({
    get: (name: string): unknown => {
      const { globalValue, workspaceValue } = fake.settings.get(`${section}.${name}`) ?? {};
      return workspaceValue ?? globalValue;
    },
    inspect: (name: string): Layers => fake.settings.get(`${section}.${name}`) ?? {},
  }),
};
