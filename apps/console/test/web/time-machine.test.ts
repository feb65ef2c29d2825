import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { diffRows } from '../../src/web/time/diff.js';
import { momentOf } from '../../src/web/time/step-at.js';
import type { Json, Step } from '../../src/web/wire/types.js';

describe('the difference of a step', () => {
  it('marks fields that changed, came and went, with their value before', () => {
    const before = { status: 'open', amount: '10', source: { token: null }, failure: 'x' };
    const after = { status: 'completed', amount: '10', source: { token: 'ETH', network: 'base' } };
    expect(diffRows(before, after)).toEqual([
      { path: 'status', before: 'open', after: 'completed', change: 'changed' },
      { path: 'amount', before: '10', after: '10', change: null },
      { path: 'source.token', before: null, after: 'ETH', change: 'changed' },
      { path: 'source.network', before: undefined, after: 'base', change: 'added' },
      { path: 'failure', before: 'x', after: undefined, change: 'removed' },
    ]);
  });

  it('marks nothing at the first step, and everything of an object that came into being', () => {
    expect(diffRows(undefined, { id: 'a' }).map(({ change }) => change)).toEqual([null]);
    expect(diffRows(null, { id: 'a' }).map(({ change }) => change)).toEqual(['added']);
  });

  const json = fc.object({ maxDepth: 3, values: [fc.string(), fc.integer(), fc.boolean(), fc.constant(null)] });
  test.prop([json, json])('is empty between equal objects and symmetric otherwise', (one, other) => {
    // The casts hold, since `values` are those of JSON.
    const [a, b] = [one as Json, other as Json];
    expect(diffRows(a, structuredClone(a)).filter(({ change }) => change !== null)).toEqual([]);
    const changed = (rows: ReturnType<typeof diffRows>) =>
      rows
        .filter(({ change }) => change !== null)
        .map(({ path }) => path)
        .toSorted();
    expect(changed(diffRows(a, b))).toEqual(changed(diffRows(b, a)));
  });
});

describe('the moment of an address', () => {
  const step = (sequence: number): Step => ({
    sequence,
    at: '2030-01-01T00:00:00.000Z',
    event: { id: `e${sequence}`, type: 'gate_session.created' },
    session: {},
    transaction: null,
    intents: [],
    deliveries: [],
  });
  const history = { session_id: 's', steps: [step(1), step(2), step(5)] };

  it('is the step of that sequence, the one before a gap, or the latest', () => {
    expect(momentOf(history, '2')).toMatchObject({ at: 1, earlier: { sequence: 1 } });
    expect(momentOf(history, '4')).toMatchObject({ at: 1 });
    expect(momentOf(history, undefined)).toMatchObject({ at: 2 });
    expect(momentOf(history, 'x')).toMatchObject({ at: 2 });
    expect(momentOf(history, '0')).toMatchObject({ at: 0, earlier: null });
    expect(momentOf({ session_id: 's', steps: [] }, '1')).toBeNull();
  });
});
