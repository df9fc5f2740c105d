// Reads texts as VS Code does: JSON with comments and trailing commas, and nothing else.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";

const [, , kit, file] = process.argv;
const { parse, printParseErrorCode } = createRequire(`${kit}/`)("jsonc-parser");
const read = (text) => {
  const errors = [];
  const value = parse(text, errors, { allowTrailingComma: true, disallowComments: false });
  return errors.length ? { error: errors.map((e) => printParseErrorCode(e.error)) } : value;
};
process.stdout.write(JSON.stringify(JSON.parse(readFileSync(file, "utf8")).map(read)));
