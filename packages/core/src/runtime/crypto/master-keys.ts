import { createHash, createHmac } from 'node:crypto';
import { MasterKeyMissingError, SealedTextError } from '../../ports/crypto.js';
import { type RandomBytes, seal, unseal } from './sealed-box.js';

export const MASTER_KEY_BYTES = 32;

/** The probability of fewer than 12 different values in 32 random bytes is 10^-18; typed keys often have fewer. */
const DIFFERENT_BYTES_MIN = 12;

const BASE64_OF_32_BYTES = /^[A-Za-z0-9+/_-]{43}=?$/;
const ADVICE = 'Generate one with "openssl rand -base64 32".';

/** Describes why a base64 master key cannot be used, without quoting it; null if it can. */
export function masterKeyProblem(base64: string): string | null {
  if (!BASE64_OF_32_BYTES.test(base64)) return `It must be ${MASTER_KEY_BYTES} bytes in base64. ${ADVICE}`;
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.every((byte) => byte === bytes[0])) return `All of its bytes are the same. ${ADVICE}`;
  if (new Set(bytes).size < DIFFERENT_BYTES_MIN || new Set(steps(bytes)).size < DIFFERENT_BYTES_MIN) {
    return `Its bytes follow a pattern; it must be random. ${ADVICE}`;
  }
  return null;
}

/** Differences between neighbours, which are constant for sequences such as 0, 1, 2, 3. */
function steps(bytes: Uint8Array): readonly number[] {
  return Array.from(bytes.subarray(1), (byte, index) => (byte - (bytes[index] ?? 0)) & 0xff);
}

/** Encrypts with the current master key; decrypts with the current and old ones. Each encrypted text contains its key's id. */
export interface MasterKeys {
  /** With an owner, only that owner can decrypt it. */
  seal(purpose: string, plain: string | Uint8Array, owner?: string | null): string;
  /** Throws if no known key decrypts it, or if it was encrypted for another purpose or owner. */
  open(purpose: string, sealed: string, owner?: string | null): OpenedSeal;
}

interface OpenedSeal {
  readonly plain: Buffer;
  /** False if an old key decrypted it, so that it should be encrypted again. */
  readonly isCurrentKey: boolean;
}

interface SealingKey {
  readonly id: string;
  readonly bytes: Buffer;
}

/** `mk1` is bound to a purpose, `mk2` also to an owner. */
const FORMAT = /^mk([12])\.([0-9a-f]{16})\.([A-Za-z0-9+/]+=*)$/;

export function masterKeys(present: Uint8Array, old: readonly Uint8Array[], random: RandomBytes): MasterKeys {
  const current = sealingKey(present);
  const byId = new Map([...old.map(sealingKey), current].map((key) => [key.id, key]));
  return {
    seal(purpose, plain, owner = null) {
      const box = seal(current.bytes, plain, associated(purpose, current, owner), random);
      return `mk${owner === null ? 1 : 2}.${current.id}.${box}`;
    },
    open(purpose, sealed, owner = null) {
      const [, format, id, box] = FORMAT.exec(sealed) ?? [];
      if (id === undefined || box === undefined)
        throw new SealedTextError(
          `The stored ${purpose} is not encrypted text. Restore it from a backup: it was altered.`,
        );
      const key = byId.get(id);
      if (key === undefined) {
        throw new MasterKeyMissingError(
          `The stored ${purpose} was encrypted with master key ${id}, which is neither the current key nor an old one. Add it to the old master keys.`,
        );
      }
      const plain = unseal(key.bytes, box, associated(purpose, key, format === '1' ? null : owner));
      if (plain === null)
        throw new SealedTextError(
          `The stored ${purpose} cannot be decrypted with its master key ${id}: it was altered, or belongs to another owner.`,
        );
      return { plain, isCurrentKey: key === current };
    },
  };
}

/** The id is the hash of a separately derived value, so it reveals nothing about the encryption key. */
function sealingKey(master: Uint8Array): SealingKey {
  if (master.length !== MASTER_KEY_BYTES)
    throw new Error(`A master key must have ${MASTER_KEY_BYTES} bytes, not ${master.length}.`);
  const derive = (label: string): Buffer => createHmac('sha256', master).update(label).digest();
  const id = createHash('sha256').update(derive('gateramp/master/id')).digest('hex').slice(0, 16);
  return { id, bytes: derive('gateramp/master/seal') };
}

/** Binds the text to its purpose and owner, so that it cannot be decrypted elsewhere. */
function associated(purpose: string, key: SealingKey, owner: string | null): string {
  return owner === null ? `${purpose}/${key.id}` : `${purpose}/${key.id}/${owner}`;
}

/** The key of a purpose. Deterministic per pepper; no purpose's key reveals another's. */
export type PurposeKeys = (purpose: string) => Buffer;

/** Purposes are a handful of constants; the limit bounds memory if a caller generates them. */
const CACHED_MAX = 64;

export function purposeKeys(pepper: Uint8Array): PurposeKeys {
  const cache = new Map<string, Buffer>();
  return (purpose) => {
    const cached = cache.get(purpose);
    if (cached !== undefined) return cached;
    const key = createHmac('sha256', pepper).update(`gateramp/${purpose}`).digest();
    if (cache.size < CACHED_MAX) cache.set(purpose, key);
    return key;
  };
}
