import { expect, it } from 'vitest';
import { JoinedBytes } from '../../src/domain/joined-bytes.js';

const part = (...bytes: readonly number[]) => Uint8Array.from(bytes);

it('joins parts up to the maximum, and refuses a part that does not fit', () => {
  const body = new JoinedBytes(5);
  expect(body.bytes()).toEqual(part());
  for (const [next, isTaken] of [
    [part(1, 2), true],
    [part(), true],
    [part(3, 4, 5, 6), false],
    [part(3, 4), true],
    [part(5), true],
    [part(), true],
    [part(6), false],
  ] as const)
    expect(body.add(next)).toBe(isTaken);
  expect(body.bytes()).toEqual(part(1, 2, 3, 4, 5));
});

it('keeps a single part as it is, and joins several in one buffer of the announced size', () => {
  const only = part(1, 2, 3);
  const one = new JoinedBytes(10);
  one.add(only);
  expect(one.bytes().buffer).toBe(only.buffer);
  const several = new JoinedBytes(3);
  for (const byte of only) several.add(part(byte));
  const { buffer, byteLength } = several.bytes();
  expect([byteLength, buffer.byteLength]).toEqual([3, 3]);
});
