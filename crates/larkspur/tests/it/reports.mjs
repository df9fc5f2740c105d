// Reads a report of tests or coverage as build servers do, and prints what it found in it.
//
// Usage: reports.mjs KIT junit|lcov FILE

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [kit, format, file] = process.argv.slice(2);
const text = readFileSync(file, "utf8");

function load(path) {
  return import(pathToFileURL(join(kit, "node_modules", path)));
}

async function junit() {
  const { parse } = await load("junit2json/dist/esm/index.js");
  const suites = await parse(text);
  for (const suite of suites.testsuite) {
    console.log(`${suite.name}: ${suite.tests} tests, ${suite.failures} failures`);
    for (const test of suite.testcase ?? []) {
      const failure = test.failure?.[0];
      console.log(`  ${test.classname} ${test.name}${failure ? ` ${JSON.stringify(failure.message)}` : ""}`);
    }
  }
  console.log(`${suites.tests} tests, ${suites.failures} failures`);
}

async function lcov() {
  const { default: parse } = await load("@friedemannsommer/lcov-parser/dist/sync/index.mjs");
  for (const { path, lines } of parse({ from: text })) {
    const missed = lines.details.filter(({ hit }) => hit === 0).map(({ line }) => line);
    console.log(`${path}: ${lines.hit} of ${lines.instrumented} lines, not ${missed.join(", ")}`);
  }
}

await { junit, lcov }[format]();
