import { createHash, createHmac } from 'node:crypto';
import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { hmacSha256, sha256 } from '../../src/webhooks/sha256.js';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

describe('our SHA-256', () => {
  it('is that of the standard', () => {
    expect(hex(sha256(Buffer.from('abc')))).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });

  it('is that of Node at every length around a block', () => {
    for (let length = 0; length < 200; length += 1) {
      const message = Buffer.alloc(length, length);
      expect(hex(sha256(message))).toBe(createHash('sha256').update(message).digest('hex'));
    }
  });

  test.prop([fc.uint8Array({ maxLength: 4096 }), fc.uint8Array({ maxLength: 200 })])(
    'and its HMAC are those of Node for any message and key',
    (message, key) => {
      expect(hex(sha256(message))).toBe(createHash('sha256').update(message).digest('hex'));
      expect(hex(hmacSha256(key, message))).toBe(createHmac('sha256', key).update(message).digest('hex'));
    },
  );
});
