import { gcm } from '@noble/ciphers/aes.js';
import { hmac } from '@noble/hashes/hmac.js';
import { sha256, sha512 } from '@noble/hashes/sha2.js';
import { Buffer } from 'buffer';

/**
 * The functions of `node:crypto` that the engine uses, for browsers: theirs are asynchronous, and the engine decides synchronously. Only
 * for the playground, which holds no secrets.
 */
type Encoding = 'hex' | 'base64';
type Algorithm = 'sha256' | 'sha512';
type Data = string | Uint8Array;

const HASHES = { sha256, sha512 } as const;
const bytesOf = (data: Data): Uint8Array => (typeof data === 'string' ? Buffer.from(data) : data);

interface Digest {
  update(data: Data): Digest;
  digest(encoding?: Encoding): Buffer | string;
}

function digestOf(state: { update(data: Uint8Array): unknown; digest(): Uint8Array }): Digest {
  const digest: Digest = {
    update: (data) => (state.update(bytesOf(data)), digest),
    digest(encoding) {
      const bytes = Buffer.from(state.digest());
      return encoding === undefined ? bytes : bytes.toString(encoding);
    },
  };
  return digest;
}

export const createHash = (algorithm: Algorithm): Digest => digestOf(HASHES[algorithm].create());

export const createHmac = (algorithm: Algorithm, key: Data): Digest =>
  digestOf(hmac.create(HASHES[algorithm], bytesOf(key)));

export const hash = (algorithm: Algorithm, data: Data, encoding: Encoding | 'buffer' = 'hex'): Buffer | string =>
  createHash(algorithm)
    .update(data)
    .digest(encoding === 'buffer' ? undefined : encoding);

export function createCipheriv(_algorithm: 'aes-256-gcm', key: Uint8Array, nonce: Uint8Array) {
  let associated: Uint8Array = new Uint8Array();
  let tag = Buffer.alloc(0);
  const cipher = {
    setAAD: (bytes: Uint8Array) => ((associated = bytes), cipher),
    /** Encrypts the whole text: the engine never passes it in parts. */
    update(plain: Data) {
      const sealed = Buffer.from(gcm(key, nonce, associated).encrypt(bytesOf(plain)));
      tag = sealed.subarray(sealed.length - TAG_BYTES);
      return sealed.subarray(0, sealed.length - TAG_BYTES);
    },
    final: () => Buffer.alloc(0),
    getAuthTag: () => tag,
  };
  return cipher;
}

const TAG_BYTES = 16;

export function createDecipheriv(_algorithm: 'aes-256-gcm', key: Uint8Array, nonce: Uint8Array) {
  let associated: Uint8Array = new Uint8Array();
  let tag: Uint8Array = new Uint8Array();
  let failure: Error | null = null;
  const decipher = {
    setAAD: (bytes: Uint8Array) => ((associated = bytes), decipher),
    setAuthTag: (bytes: Uint8Array) => ((tag = bytes), decipher),
    update(sealed: Uint8Array) {
      try {
        return Buffer.from(gcm(key, nonce, associated).decrypt(Buffer.concat([sealed, tag])));
      } catch (error) {
        failure = new Error('The text was altered, or sealed with another key.', { cause: error });
        return Buffer.alloc(0);
      }
    },
    final() {
      if (failure !== null) throw failure;
      return Buffer.alloc(0);
    },
  };
  return decipher;
}

export const randomBytes = (count: number): Buffer => randomFillSync(Buffer.alloc(count));

export const randomFillSync = <Bytes extends Uint8Array<ArrayBuffer>>(bytes: Bytes): Bytes =>
  crypto.getRandomValues(bytes);

export const timingSafeEqual = (one: Uint8Array, other: Uint8Array): boolean =>
  one.reduce((difference, byte, index) => difference | (byte ^ (other[index] ?? -1)), 0) === 0;

export const webcrypto = crypto;
