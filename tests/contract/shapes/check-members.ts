import assert from 'node:assert/strict';
import { type Members, membersOf } from '../kit.js';

/** The object has these members and no other. */
export function sameMembers(value: unknown, members: readonly string[]): void {
  assert.deepEqual(Object.keys(membersOf(value)).sort(), [...members].sort());
}

export function arrayOf(value: unknown): readonly Members[] {
  assert.ok(Array.isArray(value));
  return value.map(membersOf);
}
