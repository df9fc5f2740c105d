// An issuer of tokens: makes keys and signs what it is told to, with a library that is not ours. What
// that library refuses to sign is forged by hand.
//
// Usage: tokens.mjs KIT SPEC; SPEC is a file with {"keys": {NAME: ALG}, "tokens": {NAME: {...}}},
// where a token has `key`, `claims` and perhaps `header`, `forge`. Prints keys and tokens as JSON.

import { KeyObject, createHmac, sign as rawSign } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [kit, file] = process.argv.slice(2);
const jose = await import(pathToFileURL(join(kit, "node_modules/jose/dist/webapi/index.js")));
const spec = JSON.parse(readFileSync(file, "utf8"));

const keys = {};
for (const [name, alg] of Object.entries(spec.keys)) {
  if (alg.startsWith("HS")) {
    keys[name] = { alg, secret: "a-shared-secret-of-at-least-32-bytes" };
    continue;
  }
  const pair = await jose.generateKeyPair(alg, { extractable: true });
  const jwk = { ...(await jose.exportJWK(pair.publicKey)), kid: name, alg, use: "sig" };
  keys[name] = { alg, ...pair, jwk, pem: await jose.exportSPKI(pair.publicKey) };
}

const part = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");

async function honest({ key, header = {}, claims }) {
  const { alg, privateKey, secret } = keys[key];
  const protectedHeader = { alg, typ: "at+jwt", ...(secret ? {} : { kid: key }), ...header };
  for (const name of Object.keys(protectedHeader)) {
    if (protectedHeader[name] === null) delete protectedHeader[name];
  }
  const signer = secret ? new TextEncoder().encode(secret) : privateKey;
  return new jose.SignJWT(claims).setProtectedHeader(protectedHeader).sign(signer);
}

const forgeries = {
  // No signature at all.
  none: ({ claims }) => `${part({ alg: "none", typ: "JWT" })}.${part(claims)}.`,
  // The public key, which everybody knows, taken for a shared secret.
  confused: ({ key, claims }) => {
    const text = `${part({ alg: "HS256", typ: "JWT", kid: key })}.${part(claims)}`;
    return `${text}.${createHmac("sha256", keys[key].pem).update(text).digest("base64url")}`;
  },
  // Claims changed after they were signed.
  changed: async ({ key, claims, header }) => {
    const [head, , signature] = (await honest({ key, claims, header })).split(".");
    return `${head}.${part({ ...claims, sub: "root" })}.${signature}`;
  },
  cut: async (token) => (await honest(token)).slice(0, -4),
  // The signature of ES256 as DER, which is another notation.
  der: ({ key, claims }) => {
    const text = `${part({ alg: "ES256", typ: "JWT", kid: key })}.${part(claims)}`;
    return `${text}.${rawSign("sha256", Buffer.from(text), KeyObject.from(keys[key].privateKey)).toString("base64url")}`;
  },
  // Extensions that must be understood.
  critical: async ({ key, claims }) => {
    const text = `${part({ alg: "RS256", typ: "JWT", kid: key, crit: ["exp2"], exp2: 1 })}.${part(claims)}`;
    const signature = rawSign("sha256", Buffer.from(text), KeyObject.from(keys[key].privateKey));
    return `${text}.${signature.toString("base64url")}`;
  },
};

const tokens = {};
for (const [name, token] of Object.entries(spec.tokens)) {
  tokens[name] = await (token.forge ? forgeries[token.forge] : honest)(token);
}

const published = Object.entries(keys).filter(([, key]) => key.jwk);
console.log(
  JSON.stringify({
    jwks: Object.fromEntries(published.map(([name, key]) => [name, { keys: [key.jwk] }])),
    pems: Object.fromEntries(published.map(([name, key]) => [name, key.pem])),
    tokens,
  }),
);
