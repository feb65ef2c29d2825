import { createHash } from 'node:crypto';
import { type Instant, MINUTE } from '../domain/instant.js';
import type { Ids } from '../ports/edge.js';
import { type RandomBytes, randomPool } from './crypto/sealed-box.js';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** The largest multiple of 62 in a byte. Larger bytes are discarded, because their remainder would favour the first digits. */
const UNBIASED_BELOW = 248;

const DRAW_BYTES_MAX = 256;

/** `length` characters, uniformly distributed. */
function base62(length: number, random: RandomBytes): string {
  let text = '';
  while (text.length < length) {
    for (const byte of random(Math.min(length - text.length, DRAW_BYTES_MAX))) {
      if (byte < UNBIASED_BELOW) text += ALPHABET.charAt(byte % ALPHABET.length);
    }
  }
  return text;
}

const STEP_BYTES = 3;

/**
 * The random part of a time-ordered id, below `2 ** bits`. Within one millisecond each tail is higher than the previous one, so ids sort by
 * creation even on a stopped clock. A new millisecond starts in the lower half, which leaves room for 16 million ids per millisecond in 48
 * bits; after that it starts over instead of failing.
 */
function risingTail(bits: 48 | 52, random: RandomBytes): (now: Instant) => number {
  const limit = 2 ** bits;
  let at: Instant | null = null;
  let tail = 0;
  return (now) => {
    const next = tail + 1 + random(STEP_BYTES).readUIntBE(0, STEP_BYTES);
    tail = now === at && next < limit ? next : start(bits, random);
    at = now;
    return tail;
  };
}

/** Uniform below `2 ** (bits - 1)`; two reads, because one reads at most 48 bits. */
function start(bits: 48 | 52, random: RandomBytes): number {
  const bytes = random(7);
  const high = bytes.readUIntBE(0, 3) % 2 ** (bits - 1 - 32);
  return high * 2 ** 32 + bytes.readUInt32BE(3);
}

const OBJECT_TAIL_BITS = 48;
const TRANSACTION_TAIL_BITS = 52;

/** Ten base32 characters hold 50 bits: 48 of the time with the two highest of the tail, then the rest of the tail. */
const HALF_CHARACTERS = 10;
const LOW_HALF = 2 ** 50;

/** All kinds of ids from one source of random bytes. */
function idsFrom(random: RandomBytes): Ids {
  const objectTail = risingTail(OBJECT_TAIL_BITS, random);
  const transactionTail = risingTail(TRANSACTION_TAIL_BITS, random);
  return {
    object: (now) => hex48(now) + hex48(objectTail(now)),
    transaction(now) {
      const tail = transactionTail(now);
      const high = now * 4 + Math.floor(tail / LOW_HALF);
      return `gtx_${padded(high, 32, HALF_CHARACTERS)}${padded(tail % LOW_HALF, 32, HALF_CHARACTERS)}`;
    },
    uuid: (now) => uuidOf(random(16), now),
    secret: (length) => base62(length, random),
  };
}

/**
 * Twelve hexadecimal digits. Formatting numbers above 31 bits is slow, so the halves are formatted separately, each with a leading digit
 * that is cut off.
 */
function hex48(value: number): string {
  const high = Math.floor(value / HALF_48);
  return (HALF_48 + high).toString(16).slice(1) + (HALF_48 + value - high * HALF_48).toString(16).slice(1);
}

const HALF_48 = 2 ** 24;

/** The digits 0-9a-v sort by value, so text order is numeric order. */
function padded(value: number, radix: 32, characters: number): string {
  return value.toString(radix).padStart(characters, '0');
}

/** Version 7 if `now` is given, 4 otherwise. */
function uuidOf(bytes: Buffer, now?: Instant): string {
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | (now === undefined ? 0x40 : 0x70);
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const random = bytes.toString('hex');
  const hex = now === undefined ? random : hex48(now) + random.slice(12);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** Ids from the system's random generator, drawn in bulk. */
export function nodeIds(): Ids {
  return idsFrom(randomPool());
}

/** For tests: the same seed gives the same ids in the same order, with the format and order of real ones. Not for real secrets. */
export function seededIds(seed: string | number): Ids {
  return idsFrom(seededBytes(String(seed)));
}

/** A stream of SHA-256 digests of the seed and a counter. */
function seededBytes(seed: string): RandomBytes {
  let block = 0;
  let rest: Buffer = Buffer.alloc(0);
  return (count) => {
    while (rest.length < count) {
      rest = Buffer.concat([rest, createHash('sha256').update(`${block}:${seed}`).digest()]);
      block += 1;
    }
    const taken = rest.subarray(0, count);
    rest = rest.subarray(count);
    return taken;
  };
}

/** The first twelve characters of object ids created at `instant` (`Ids.object`). */
export function objectIdTime(instant: Instant): string {
  return instant.toString(16).padStart(12, '0');
}

/** The first fourteen characters of transaction ids created from `instant` until 25 ms later (`Ids.transaction`). */
export function transactionIdTime(instant: Instant): string {
  return `gtx_${(instant * 4).toString(32).padStart(10, '0')}`;
}

/** Bounds of the creation time: inclusive below, exclusive above. */
export interface CreationBounds {
  readonly createdAfter: Instant | null;
  readonly createdBefore: Instant | null;
}

/** Maximum difference between the time in an id and the row's creation time, since the id is generated before the host is called. */
const SLACK_MS = MINUTE;

/**
 * Approximate id bounds for a range of creation times, because ids start with their time. With them an old range is found by the index of
 * ids instead of by walking from the newest row.
 */
export function idBounds(
  { createdAfter, createdBefore }: CreationBounds,
  idTime: (instant: Instant) => string,
): { readonly from: string | null; readonly below: string | null } {
  return {
    from: createdAfter === null ? null : idTime(Math.max(0, createdAfter - SLACK_MS)),
    below: createdBefore === null ? null : idTime(Math.max(0, createdBefore + SLACK_MS)),
  };
}
