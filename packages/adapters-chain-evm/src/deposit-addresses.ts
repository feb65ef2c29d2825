import { type Address, keccak256, stringToHex, toHex } from 'viem';
import { HDKey, publicKeyToAddress } from 'viem/accounts';

/** The deposit addresses of an extended public key. */
export interface DepositKeys {
  /** Identifies the key without revealing addresses. */
  readonly fingerprint: string;
  /** The address of child `0/index` of the account key. */
  addressAt(index: number): Address;
}

/** The depth of m/44'/60'/0'. */
const ACCOUNT_DEPTH = 3;
const FINGERPRINT_LENGTH = 18;

/** Parses the extended public key of an account. Throws for a private key, which must not be on this machine. */
export function depositKeysOf(xpub: string): DepositKeys {
  const account = parsed(xpub);
  if (account.privateKey !== null) throw new Error('The deposit key is a private key. Pass the extended public key.');
  if (account.depth !== ACCOUNT_DEPTH) throw new Error("The deposit key is not of an account. Export m/44'/60'/0'.");
  const receiving = account.deriveChild(0);
  return {
    fingerprint: keccak256(stringToHex(xpub)).slice(0, FINGERPRINT_LENGTH),
    addressAt(index) {
      const { publicKey } = receiving.deriveChild(index);
      if (publicKey === null) throw new Error('The deposit key has no public key.');
      return publicKeyToAddress(uncompressed(publicKey));
    },
  };
}

function parsed(xpub: string): HDKey {
  try {
    return HDKey.fromExtendedKey(xpub);
  } catch {
    // The original error could quote the key.
    throw new Error('The deposit key is not an extended public key.');
  }
}

/** The prime of secp256k1. */
const P = 2n ** 256n - 2n ** 32n - 977n;

/** The uncompressed point, with y from y² = x³ + 7. */
function uncompressed(publicKey: Uint8Array): `0x${string}` {
  const x = BigInt(toHex(publicKey.slice(1)));
  const root = power((x ** 3n + 7n) % P, (P + 1n) / 4n);
  const isOdd = publicKey[0] === 3;
  const y = (root % 2n === 1n) === isOdd ? root : P - root;
  return `0x04${toHex(x, { size: 32 }).slice(2)}${toHex(y, { size: 32 }).slice(2)}`;
}

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  for (let square = base, rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest % 2n === 1n) result = (result * square) % P;
    square = (square * square) % P;
  }
  return result;
}
