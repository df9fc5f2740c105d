// Compares TOON of ours with what the notation's own implementation writes and reads, and prints each
// difference, then how many were the same.
//
// Usage: toon.mjs KIT FILE, with a JSON list of [name, JSON, TOON]

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { isDeepStrictEqual } from "node:util";

const [kit, file] = process.argv.slice(2);
const library = join(kit, "node_modules/@toon-format/toon/dist/index.mjs");
const { encode, decode } = await import(pathToFileURL(library));

function difference(json, ours) {
  const value = JSON.parse(json);
  const theirs = encode(value);
  if (theirs !== ours) return `theirs is ${JSON.stringify(theirs)}, ours ${JSON.stringify(ours)}`;
  if (!isDeepStrictEqual(decode(ours), value)) return `read back as ${JSON.stringify(decode(ours))}`;
}

let same = 0;
for (const [name, json, ours] of JSON.parse(readFileSync(file, "utf8"))) {
  const wrong = difference(json, ours);
  if (wrong) console.log(`${name}: ${wrong}`);
  else same += 1;
}
console.log(`${same} the same`);
