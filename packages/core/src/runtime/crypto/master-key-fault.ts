export const MASTER_KEY_BYTES = 32;

/** 32 random bytes have fewer than 12 different values once in 10^18 keys; typed ones often do. */
const DIFFERENT_BYTES_MIN = 12;

const BASE64_OF_32_BYTES = /^[A-Za-z0-9+/_-]{43}=?$/;
const ADVICE = 'Generate one with "openssl rand -base64 32".';

/** What is wrong with a master key given as base64 text, as a sentence that never quotes it; null when it may be used. */
export function masterKeyFault(base64: string): string | null {
  if (!BASE64_OF_32_BYTES.test(base64)) return `It must be ${MASTER_KEY_BYTES} bytes in base64. ${ADVICE}`;
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.every((byte) => byte === bytes[0])) return `All of its bytes are the same. ${ADVICE}`;
  if (new Set(bytes).size < DIFFERENT_BYTES_MIN || new Set(steps(bytes)).size < DIFFERENT_BYTES_MIN) {
    return `Its bytes follow a pattern; it must be random. ${ADVICE}`;
  }
  return null;
}

/** Differences between neighbours: constant for 0, 1, 2, 3 …, which has many different bytes and no secret. */
function steps(bytes: Uint8Array): readonly number[] {
  return Array.from(bytes.subarray(1), (byte, index) => (byte - (bytes[index] ?? 0)) & 0xff);
}
