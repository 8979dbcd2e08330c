/** Which Python files are served: those with Triton kernels, and from opening to closing. */
import assert from "node:assert/strict";
import test from "node:test";
import { holdsTriton, ServedDocuments } from "../src/documents";
import type { TextDocument } from "vscode";
import { Uri } from "./fake/vscode";

const KERNEL = "import triton\nimport triton.language as tl\n\n@triton.jit\ndef add(x, n: tl.constexpr):\n    pass\n";

function document(text: string, languageId = "python"): TextDocument {
  return { uri: Uri.file("/w/a.py"), languageId, getText: () => text } as unknown as TextDocument;
}

for (const [words, text, holds] of [
  ["a kernel", KERNEL, true],
  ["a kernel with names of its own", "from triton import jit\n\n@jit\ndef add(): ...\n", true],
  ["an autotuned kernel", "import triton\n@triton.autotune(configs=[])\n@triton.jit\ndef f(): ...\n", true],
  ["an import without a kernel", "import triton\nprint(triton.__version__)\n", false],
  ["another package's decorator", "from numba import jit\n\n@jit\ndef f(): ...\n", false],
  ["only talk of it", '"""import triton\n"""\nx = "@triton.jit"\n', false],
  ["nothing", "", false],
] as const) {
  test(`a Python file with ${words} is ${holds ? "" : "not "}served`, () => {
    assert.equal(holdsTriton(text), holds);
  });
}

test("what was decided at opening holds until the file is closed", () => {
  const served = new ServedDocuments();
  assert.equal(served.open(document("x = 1\n")), false);
  assert.equal(served.has(document(KERNEL)), false, "the server does not have it, whatever it has become");
  assert.equal(served.close(document(KERNEL)), false);
  assert.equal(served.open(document(KERNEL)), true);
  assert.equal(served.has(document("x = 1\n")), true, "the server has it, whatever it has become");
  assert.equal(served.close(document("")), true);
  assert.equal(served.has(document(KERNEL)), false);
});

test("files of kernel languages are served whatever they hold", () => {
  const served = new ServedDocuments();
  assert.equal(served.open(document("", "c")), true);
  assert.equal(served.close(document("", "c")), true);
});
