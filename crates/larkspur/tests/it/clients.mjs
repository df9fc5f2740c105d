// Drives a larkspur server with TypeScript's MCP client, and prints what it saw, one line a fact.
//
// Usage: clients.mjs KIT MODE SERVER MODULES, with the server's program or its URL

import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const PATIENCE = 30_000;
const [kit, mode, server, modules] = process.argv.slice(2);

const client = join(kit, "node_modules/@modelcontextprotocol/client/dist");
const load = (file) => import(pathToFileURL(join(client, file)));
const { Client, StreamableHTTPClientTransport } = await load("index.mjs");
const { StdioClientTransport } = await load("stdio.mjs");

function transport() {
  if (server.startsWith("http")) {
    return new StreamableHTTPClientTransport(new URL(server));
  }
  const env = { XDG_RUNTIME_DIR: process.env.XDG_RUNTIME_DIR };
  return new StdioClientTransport({ command: server, args: ["serve", "--modules", modules], env });
}

async function main() {
  let heard;
  const changed = new Promise((resolve) => (heard = resolve));
  const listChanged = { tools: { autoRefresh: false, debounceMs: 0, onChanged: heard } };
  const it = new Client(
    { name: "clients", version: "1" },
    { versionNegotiation: { mode }, listChanged },
  );
  await it.connect(transport());
  console.log("revision:", it.getNegotiatedProtocolVersion());
  console.log("tools:", await listed(it));
  console.log(shown(await it.callTool({ name: "hello", arguments: { name: "ada" } })));
  console.log(shown(await it.callTool({ name: "broken" })));
  console.log(shown(await it.callTool({ name: "hello", arguments: { nam: "ada" } })));
  await read(it);
  await begin(it);
  await wait(it);
  const module = join(modules, "greet.star");
  writeFileSync(module, readFileSync(module, "utf8").replaceAll("hello", "howdy"));
  await changed;
  console.log("tools:", await listed(it));
  console.log(shown(await it.callTool({ name: "howdy", arguments: { name: "ada" } })));
  await it.close();
}

async function listed(it) {
  const { tools } = await it.listTools();
  return tools.map((tool) => tool.name).join(", ");
}

async function read(it) {
  const { resources } = await it.listResources();
  console.log("resources:", resources.map((resource) => resource.uri).join(", "));
  const { resourceTemplates } = await it.listResourceTemplates();
  console.log("templates:", resourceTemplates.map((template) => template.uriTemplate).join(", "));
  for (const uri of ["weather://today", "weather://oslo/3"]) {
    const { contents } = await it.readResource({ uri });
    console.log("read:", contents[0].mimeType, contents[0].text);
  }
  await it.readResource({ uri: "weather://tody" }).catch((error) => {
    console.log("not read:", error.message.replace(/^MCP error -?\d+: /, ""));
  });
}

async function begin(it) {
  for (const { name, arguments: args } of (await it.listPrompts()).prompts) {
    console.log(`prompts: ${name}(${args.map((arg) => arg.name).join(", ")})`);
  }
  const letter = { name: "letter", arguments: { to: "ada", tone: "keen" } };
  for (const { role, content } of (await it.getPrompt(letter)).messages) {
    console.log(`prompt: ${role}: ${content.text}`);
  }
  const prompt = { type: "ref/prompt", name: "letter" };
  await complete(it, prompt, { name: "tone", value: "ke" });
  const template = { type: "ref/resource", uri: "weather://{city}/{day}" };
  await complete(it, template, { name: "city", value: "os" });
}

async function complete(it, ref, argument) {
  const { completion } = await it.complete({ ref, argument });
  console.log("complete:", completion.values.join(", "));
}

/// Hears how far a call has come; takes another one back, and waits until the server is free.
async function wait(it) {
  const onprogress = async ({ progress, total, message }) => {
    console.log(`progress: ${progress}/${total} ${message}`);
    if (progress === total) {
      await it.callTool({ name: "heard" });
    }
  };
  console.log(shown(await it.callTool({ name: "steps" }, { onprogress })));
  const taken = new AbortController();
  const options = { onprogress: () => taken.abort("enough"), signal: taken.signal };
  await it.callTool({ name: "spin" }, options).then(
    (result) => console.log("not cancelled:", shown(result)),
    () => console.log("cancelled"),
  );
  while ((await status()).in_flight > 0);
  console.log("free");
}

function status() {
  const folder = join(process.env.XDG_RUNTIME_DIR, "larkspur");
  const socket = readdirSync(folder).find((file) => file.endsWith(".sock"));
  return new Promise((resolve, reject) => {
    let text = "";
    const stream = connect(join(folder, socket), () => stream.write('"status"\n'));
    stream.on("data", (data) => {
      text += data;
      if (text.endsWith("\n")) {
        stream.destroy();
        resolve(JSON.parse(text).status);
      }
    });
    stream.on("error", reject);
  });
}

const shown = (result) => `${result.isError ? "error" : "answer"}: ${result.content[0].text}`;

setTimeout(() => {
  console.log("this takes too long");
  process.exit(1);
}, PATIENCE).unref();
await main();
process.exit(0);
