/** The report's page. It shows what the host tells it, and keeps nothing but which kernel it is about. */
import "./style.css";
import type { FromPage, ToPage } from "../messages";
import { showReport, contentToExport } from "./view";

interface VsCode {
  postMessage(message: FromPage): void;
  setState(state: unknown): void;
}
declare function acquireVsCodeApi(): VsCode;

const CALM_MS = 150;
const vscode = acquireVsCodeApi();
const main = document.getElementById("kw-report");
if (main !== null) {
  listen(main);
  vscode.postMessage({ type: "ready" });
}

function listen(page: HTMLElement): void {
  const actions = {
    open: (line: number) => vscode.postMessage({ type: "open", line }),
    run: (command: "profile" | "optimize") => vscode.postMessage({ type: "run", command }),
    preview: (offer: string) => vscode.postMessage({ type: "preview", offer }),
    exportHtml: () => vscode.postMessage({ type: "export", html: contentToExport(page) }),
  };
  let shown: Extract<ToPage, { type: "report" }> | undefined;
  let width = 0;
  const show = (): void => {
    if (shown !== undefined) {
      width = page.clientWidth;
      showReport(page, shown.report, shown.words, shown.locale, actions);
    }
  };
  let timer: number | undefined;
  window.addEventListener("resize", () => {
    window.clearTimeout(timer);
    timer = window.setTimeout(() => {
      // Charts are drawn for the room that there is.
      if (page.clientWidth !== width) {
        show();
      }
    }, CALM_MS);
  });
  window.addEventListener("message", ({ data }: MessageEvent<ToPage>) => {
    switch (data.type) {
      case "report":
        // A window that is loaded anew makes the panel again of this.
        vscode.setState({ uri: data.report.uri, kernel: data.report.signature });
        shown = data;
        show();
        break;
      case "job":
        tellJob(data.text);
        break;
      case "problem":
        tellProblem(page, data.text);
        break;
    }
  });
}

function tellJob(text: string): void {
  const said = document.getElementById("kw-job");
  if (said !== null) {
    said.textContent = text;
  }
}

/** What is shown stays, below the line that says why it is not the newest. */
function tellProblem(page: HTMLElement, text: string): void {
  page.setAttribute("aria-busy", "false");
  document.getElementById("kw-problem")?.remove();
  const said = document.createElement("p");
  said.id = "kw-problem";
  said.setAttribute("role", "alert");
  said.textContent = text;
  page.prepend(said);
  if (page.dataset.state === "loading") {
    page.dataset.state = "problem";
  }
}
