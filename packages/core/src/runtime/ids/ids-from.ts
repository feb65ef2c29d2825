import type { Ids } from '../../ports/edge.js';
import type { RandomBytes } from '../crypto/random-pool.js';
import { base62 } from './base62.js';
import { risingTail } from './rising-tail.js';

const OBJECT_TAIL_BITS = 48;
const TRANSACTION_TAIL_BITS = 52;

/** Ten base32 characters hold 50 bits: the 48 of the time with the two highest of the tail, then the rest of the tail. */
const HALF_CHARACTERS = 10;
const LOW_HALF = 2 ** 50;

/** Every shape of id from one source of bytes. */
export function idsFrom(random: RandomBytes): Ids {
  const objectTail = risingTail(OBJECT_TAIL_BITS, random);
  const transactionTail = risingTail(TRANSACTION_TAIL_BITS, random);
  return {
    object: (now) => hex48(now) + hex48(objectTail(now)),
    transaction(now) {
      const tail = transactionTail(now);
      const high = now * 4 + Math.floor(tail / LOW_HALF);
      return `gtx_${padded(high, 32, HALF_CHARACTERS)}${padded(tail % LOW_HALF, 32, HALF_CHARACTERS)}`;
    },
    uuid: () => uuidV4(random(16)),
    secret: (length) => base62(length, random),
  };
}

/** Twelve digits. Numbers above 31 bits are slow to print, so the halves are printed apart, each with a leading digit that is cut off. */
function hex48(value: number): string {
  const high = Math.floor(value / HALF_48);
  return (HALF_48 + high).toString(16).slice(1) + (HALF_48 + value - high * HALF_48).toString(16).slice(1);
}

const HALF_48 = 2 ** 24;

/** Digits 0-9a-v sort as their values do, so text order is number order. */
function padded(value: number, radix: 32, characters: number): string {
  return value.toString(radix).padStart(characters, '0');
}

function uuidV4(bytes: Buffer): string {
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
