// An editor's half, as VS Code has it: opens files, types, and writes what it is told as JSON.
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [, , kit, program, root, steps, ...flags] = process.argv;
const lsp = createRequire(`${kit}/`)("vscode-languageserver-protocol/node");
const server = spawn(program, ["lsp", ...flags], { stdio: ["pipe", "pipe", "inherit"] });
const connection = lsp.createProtocolConnection(
  new lsp.StreamMessageReader(server.stdout),
  new lsp.StreamMessageWriter(server.stdin),
);
const uri = (file) => pathToFileURL(`${root}/${file}`).href;
const told = new Map();
let wake = () => {};
connection.onNotification(lsp.PublishDiagnosticsNotification.type, ({ uri, version, diagnostics }) => {
  told.set(uri, { version, diagnostics });
  wake();
});
connection.listen();

const { capabilities } = await connection.sendRequest(lsp.InitializeRequest.type, {
  processId: process.pid,
  rootUri: uri(""),
  workDoneToken: 7,
  capabilities: {},
});
await connection.sendNotification(lsp.InitializedNotification.type, {});

const versions = new Map();
const next = (file) => {
  versions.set(file, (versions.get(file) ?? 0) + 1);
  return versions.get(file);
};
// What is wrong with a file, once this version of it has been looked at.
const wrong = async (file, version) => {
  while (told.get(uri(file))?.version !== version) await new Promise((done) => (wake = done));
  return told.get(uri(file)).diagnostics;
};
const at = ([file, line, character]) => ({
  textDocument: { uri: uri(file) },
  position: { line, character },
});
const doing = {
  open: (file, text) => {
    const version = next(file);
    const item = { uri: uri(file), languageId: "starlark", version, text };
    connection.sendNotification(lsp.DidOpenTextDocumentNotification.type, { textDocument: item });
    return wrong(file, version);
  },
  type: (file, text) => {
    const textDocument = { uri: uri(file), version: next(file) };
    const contentChanges = [{ text }];
    connection.sendNotification(lsp.DidChangeTextDocumentNotification.type, { textDocument, contentChanges });
    return wrong(file, textDocument.version);
  },
  complete: async (...place) => {
    const items = await connection.sendRequest(lsp.CompletionRequest.type, at(place));
    return items.map((item) => item.label);
  },
  hover: (...place) => connection.sendRequest(lsp.HoverRequest.type, at(place)),
  define: (...place) => connection.sendRequest(lsp.DefinitionRequest.type, at(place)),
  // An answer comes after all that was said before it.
  told: async (file) => {
    await connection.sendRequest(lsp.HoverRequest.type, at([file, 0, 0]));
    return told.get(uri(file))?.diagnostics ?? null;
  },
};
const answers = [];
for (const [what, ...how] of JSON.parse(readFileSync(steps, "utf8"))) {
  answers.push(await doing[what](...how));
}
await connection.sendRequest(lsp.ShutdownRequest.type);
const ended = new Promise((done) => server.on("exit", done));
await connection.sendNotification(lsp.ExitNotification.type);
const code = await ended;
process.stdout.write(JSON.stringify({ capabilities, answers, code }));
process.exit(0);
