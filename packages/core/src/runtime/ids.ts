import { createHash } from 'node:crypto';
import { type Instant, MINUTE } from '../domain/instant.js';
import type { Ids } from '../ports/edge.js';
import { type RandomBytes, randomPool } from './crypto/sealed-box.js';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** The largest multiple of 62 in a byte. A byte above it is thrown away: taking its remainder would favour the first digits. */
const UNBIASED_BELOW = 248;

const DRAW_BYTES_MAX = 256;

/** `length` characters, each equally likely. */
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
 * The random part of a time-ordered id, below `2 ** bits`. Within one millisecond each tail is higher than the one before,
 * so id order is creation order even on a clock that stands still. A new millisecond starts in the lower half:
 * that leaves room for 16 million ids a millisecond in 48 bits, after which it starts over rather than fail.
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

/** Ten base32 characters hold 50 bits: the 48 of the time with the two highest of the tail, then the rest of the tail. */
const HALF_CHARACTERS = 10;
const LOW_HALF = 2 ** 50;

/** Every shape of id from one source of bytes. */
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

/** Ids from the system's generator, drawn from it in bulk. */
export function nodeIds(): Ids {
  return idsFrom(randomPool());
}

/** For tests: the same seed gives the same ids in the same order, shaped and ordered like real ones. Never for secrets that matter. */
export function seededIds(seed: string | number): Ids {
  return idsFrom(seededBytes(String(seed)));
}

/** SHA-256 of the seed and a count, as one long stream. */
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

/** The first twelve characters of object ids that are made at `instant` (`Ids.object`). */
export function objectIdTime(instant: Instant): string {
  return instant.toString(16).padStart(12, '0');
}

/** The first fourteen characters of transaction ids that are made at `instant` or before 25 ms have passed (`Ids.transaction`). */
export function transactionIdTime(instant: Instant): string {
  return `gtx_${(instant * 4).toString(32).padStart(10, '0')}`;
}

/** Bounds of creation: inclusive below, exclusive above. */
export interface CreationBounds {
  readonly createdAfter: Instant | null;
  readonly createdBefore: Instant | null;
}

/** How far the time in an id may be from the instant the row says it was created at: an id is minted before what is asked of the host. */
const SLACK_MS = MINUTE;

/**
 * The bounds once more, roughly, of ids, which begin with their time: with them a window long ago is found in the index of the ids instead
 * of by walking there from the newest.
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
