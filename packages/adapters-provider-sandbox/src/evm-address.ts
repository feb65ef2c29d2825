import { keccak_256 } from '@noble/hashes/sha3.js';

/**
 * Checks for 0x and forty hexadecimal digits. Mixed case is a checksum (EIP-55) and must match, since a mistyped digit would lose the
 * money; addresses in a single case have no checksum.
 */
export function isEvmAddress(address: string): boolean {
  const digits = /^0x([0-9a-fA-F]{40})$/.exec(address)?.[1];
  if (digits === undefined) return false;
  const lower = digits.toLowerCase();
  return digits === lower || digits === digits.toUpperCase() || digits === withChecksum(lower);
}

/** A letter is upper case if the hash of the lower-case digits has a high nibble at its position. */
function withChecksum(lower: string): string {
  const hash = Buffer.from(keccak_256(Buffer.from(lower, 'ascii'))).toString('hex');
  return [...lower]
    .map((digit, at) => (Number.parseInt(hash.charAt(at), 16) >= 8 ? digit.toUpperCase() : digit))
    .join('');
}
