let keccak: ((bytes: Uint8Array) => Uint8Array) | null = null;

/** Loads the hash, apart from the first step, which needs none. */
export async function loadChecksum(): Promise<void> {
  ({ keccak_256: keccak } = await import('@noble/hashes/sha3.js'));
}

/**
 * Whether an address of `0x` and forty hexadecimal digits has a wrong checksum. Mixed case is a checksum (EIP-55), a single case is none.
 * This finds most single mistyped letters. Until the hash is loaded no checksum is wrong; the service checks each address anyway.
 */
export function hasWrongChecksum(address: string): boolean {
  const digits = address.slice(2);
  const lower = digits.toLowerCase();
  if (keccak === null || digits === lower || digits === digits.toUpperCase()) return false;
  const hash = keccak(new TextEncoder().encode(lower));
  return [...lower].some((digit, index) => {
    const byte = hash[index >> 1] ?? 0;
    const isHigh = ((index % 2 === 0 ? byte >> 4 : byte) & 8) !== 0;
    return digits[index] !== (isHigh ? digit.toUpperCase() : digit);
  });
}
