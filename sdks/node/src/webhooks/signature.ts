import { hmacSha256 } from './sha256.js';

const encoder = new TextEncoder();

/** `t` in unix seconds, and each `v1` in lower-case hex. */
interface ParsedSignature {
  readonly t: string;
  readonly v1: readonly string[];
}

/** Parses a `Gate-Signature` header; null if it has no valid `t`, several, or no `v1`. Unknown schemes are skipped. */
export function parseSignature(header: string): ParsedSignature | null {
  const parts = header.split(',').map((part) => {
    const equals = part.indexOf('=');
    return { name: part.slice(0, Math.max(0, equals)).trim(), value: part.slice(equals + 1).trim() };
  });
  const [t, ...more] = parts.filter(({ name }) => name === 't').map(({ value }) => value);
  const v1 = parts.filter(({ name, value }) => name === 'v1' && /^[0-9a-f]{64}$/.test(value)).map(({ value }) => value);
  if (t === undefined || more.length > 0 || !/^[0-9]{1,12}$/.test(t) || v1.length === 0) return null;
  return { t, v1 };
}

/** `v1`: hex HMAC-SHA256 over `<t>.<body>` (spec: Signature rules 1). */
export function signatureOf(t: string | number, body: Uint8Array, secret: string): string {
  const head = encoder.encode(`${t}.`);
  const signed = new Uint8Array(head.length + body.length);
  signed.set(head);
  signed.set(body, head.length);
  return Array.from(hmacSha256(encoder.encode(secret), signed), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/**
 * Whether any of `given` equals any of `expected`. All pairs are compared to their end, so that timing reveals neither the pair nor the
 * matching length.
 */
export function someEqual(given: readonly string[], expected: readonly string[]): boolean {
  let found = false;
  for (const a of given) for (const b of expected) found = sameText(a, b) || found;
  return found;
}

function sameText(a: string, b: string): boolean {
  let difference = a.length ^ b.length;
  for (let i = 0; i < b.length; i += 1) difference |= a.charCodeAt(i) ^ b.charCodeAt(i);
  return difference === 0;
}
