/**
 * At most `bytesMax` bytes of UTF-8 as text that every store takes: no NUL, no lone surrogate, no half character at the cut.
 * Decoded twice, because a broken byte becomes a three-byte mark and the text may grow past the limit.
 */
export function keptText(bytes: Uint8Array, bytesMax: number): string {
  if (bytes.length === 0) return '';
  const text = decode(bytes.subarray(0, bytesMax)).replaceAll('\0', '');
  return decode(new TextEncoder().encode(text).subarray(0, bytesMax));
}

/** `stream` holds an unfinished last character back instead of marking it as broken. */
function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes, { stream: true });
}
