/** The text that a delivery's HMAC covers (spec: Signature rules 1). `t` is wall-clock time in epoch seconds. */
export function textToSign(t: number, rawBody: string): string {
  return `${t}.${rawBody}`;
}

/** `t=<unix>,v1=<hex>`, with another `v1` for each secret in its grace period. */
export function signatureHeader(t: number, signatures: readonly string[]): string {
  return [`t=${t}`, ...signatures.map((hex) => `v1=${hex}`)].join(',');
}

/** `t` in Unix seconds, and all `v1` values in lower-case hex. */
interface ParsedSignature {
  readonly t: number;
  readonly v1: readonly string[];
}

const HEX_SHA256 = /^[0-9a-f]{64}$/;
const UNIX_SECONDS = /^\d{1,12}$/;

/** Parses a `Gate-Signature` header; null without a valid `t` or any `v1`. Unknown schemes are ignored. */
export function parseSignatureHeader(header: string): ParsedSignature | null {
  let t: number | null = null;
  const v1: string[] = [];
  for (const part of header.split(',')) {
    const equals = part.indexOf('=');
    if (equals < 0) continue;
    const name = part.slice(0, equals).trim();
    const value = part.slice(equals + 1).trim();
    if (name === 't') {
      if (t !== null || !UNIX_SECONDS.test(value)) return null;
      t = Number(value);
    } else if (name === 'v1' && HEX_SHA256.test(value)) v1.push(value);
  }
  return t === null || v1.length === 0 ? null : { t, v1 };
}

/** Whether `t` is within the tolerance, in either direction. */
export function isFresh(t: number, nowSeconds: number, toleranceSeconds: number): boolean {
  return Math.abs(nowSeconds - t) <= toleranceSeconds;
}
