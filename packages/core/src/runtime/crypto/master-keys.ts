import { createHash, createHmac } from 'node:crypto';
import { MASTER_KEY_BYTES } from './master-key-fault.js';
import type { RandomBytes } from './random-pool.js';
import { seal, unseal } from './sealed-box.js';

/** The present master key seals; it and the old ones open. Each sealed text names its key by an id. */
export interface MasterKeys {
  /** With an owner it opens for that owner only. */
  seal(purpose: string, plain: string | Uint8Array, owner?: string | null): string;
  /** Throws when no known key opens it, or when it was sealed for another purpose or owner. */
  open(purpose: string, sealed: string, owner?: string | null): OpenedSeal;
}

export interface OpenedSeal {
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
