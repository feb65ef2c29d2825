import assert from 'node:assert/strict';
import { type Members, membersOf } from '../kit.js';

export function arrayOf(value: unknown): readonly Members[] {
  assert.ok(Array.isArray(value));
  return value.map(membersOf);
}
