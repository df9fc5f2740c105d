// The least server that one would write with the SDK for TypeScript.
import { McpServer } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import * as z from "zod";

const server = new McpServer({ name: "hello", version: "1.0.0" });

server.registerTool(
  "hello",
  { description: "Greet somebody by name.", inputSchema: z.object({ name: z.string() }) },
  ({ name }) => ({ content: [{ type: "text", text: `hello ${name}` }] }),
);

await server.connect(new StdioServerTransport());
