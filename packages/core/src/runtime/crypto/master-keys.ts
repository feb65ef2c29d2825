import { createHash, createHmac } from 'node:crypto';
import { type RandomBytes, seal, unseal } from './sealed-box.js';

export const MASTER_KEY_BYTES = 32;

/** 32 random bytes have fewer than 12 different values once in 10^18 keys; typed ones often do. */
const DIFFERENT_BYTES_MIN = 12;

const BASE64_OF_32_BYTES = /^[A-Za-z0-9+/_-]{43}=?$/;
const ADVICE = 'Generate one with "openssl rand -base64 32".';

/** What is wrong with a master key given as base64 text, as a sentence that never quotes it; null when it may be used. */
export function masterKeyProblem(base64: string): string | null {
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

/** The present master key seals; it and the old ones open. Each sealed text names its key by an id. */
export interface MasterKeys {
  /** With an owner it opens for that owner only. */
  seal(purpose: string, plain: string | Uint8Array, owner?: string | null): string;
  /** Throws when no known key opens it, or when it was sealed for another purpose or owner. */
  open(purpose: string, sealed: string, owner?: string | null): OpenedSeal;
}

interface OpenedSeal {
  readonly plain: Buffer;
  /** False when an old key opened it and it should be sealed again. */
  readonly underPresentKey: boolean;
}

interface SealingKey {
  readonly id: string;
  readonly bytes: Buffer;
}

/** `mk1` is bound to a purpose, `mk2` to an owner as well. */
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
      if (id === undefined || box === undefined) throw new Error(`The stored ${purpose} is not encrypted text.`);
      const key = byId.get(id);
      if (key === undefined) {
        throw new Error(
          `The stored ${purpose} was encrypted with master key ${id}, which is neither the current key nor an old one. Add it to the old master keys.`,
        );
      }
      const plain = unseal(key.bytes, box, associated(purpose, key, format === '1' ? null : owner));
      if (plain === null)
        throw new Error(
          `The stored ${purpose} cannot be decrypted with its master key ${id}: it was altered, or belongs to another owner.`,
        );
      return { plain, underPresentKey: key === current };
    },
  };
}

/** The id is a hash of a value derived for it alone, so it says nothing of the key that seals. */
function sealingKey(master: Uint8Array): SealingKey {
  if (master.length !== MASTER_KEY_BYTES)
    throw new Error(`A master key has ${MASTER_KEY_BYTES} bytes, not ${master.length}.`);
  const derive = (label: string): Buffer => createHmac('sha256', master).update(label).digest();
  const id = createHash('sha256').update(derive('gateramp/master/id')).digest('hex').slice(0, 16);
  return { id, bytes: derive('gateramp/master/seal') };
}

/** A sealed text that is moved to another purpose or owner must not open there. */
function associated(purpose: string, key: SealingKey, owner: string | null): string {
  return owner === null ? `${purpose}/${key.id}` : `${purpose}/${key.id}/${owner}`;
}

/** The key of a purpose: always the same for one pepper, and no key gives another away. */
export type PurposeKeys = (purpose: string) => Buffer;

/** Purposes are names in the code, a handful; a caller that makes them up as it goes must not fill the memory. */
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
