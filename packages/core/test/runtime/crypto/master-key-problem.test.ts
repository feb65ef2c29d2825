import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { masterKeyProblem } from '../../../src/runtime/index.js';

const base64 = (bytes: Iterable<number>): string => Buffer.from([...bytes]).toString('base64');

describe('a master key', () => {
  it('of 32 random bytes is accepted', () => {
    for (let n = 0; n < 1_000; n += 1) expect(masterKeyProblem(randomBytes(32).toString('base64'))).toBeNull();
  });

  it.each([
    ['is empty', ''],
    ['has 31 bytes', randomBytes(31).toString('base64')],
    ['has 33 bytes', randomBytes(33).toString('base64')],
    ['is no base64', '!'.repeat(44)],
    ['is hex', randomBytes(32).toString('hex')],
  ])('that %s is refused for its form', (_name, text) => {
    expect(masterKeyProblem(text)).toMatch(/32 bytes in base64/);
  });

  it.each([
    ['all zeros', base64(new Uint8Array(32)), /same/],
    ['one byte repeated', base64(new Uint8Array(32).fill(0xa7)), /same/],
    ['a short text repeated', base64(Buffer.from('changeme'.repeat(4))), /pattern/],
    ['a count', base64(Array.from({ length: 32 }, (_, n) => n)), /pattern/],
    ['a count backwards', base64(Array.from({ length: 32 }, (_, n) => 200 - 3 * n)), /pattern/],
  ])('of %s is refused as weak', (_name, text, sentence) => {
    expect(masterKeyProblem(text)).toMatch(sentence);
  });

  it('is never quoted in the message', () => {
    expect(masterKeyProblem('hunter2-hunter2')).not.toContain('hunter2');
  });
});
