import fc from 'fast-check';
import { describe, expect } from 'vitest';

import { endIntent } from '../../../src/domain/purchase/end-intent.js';
import type { SessionPurchase } from '../../../src/domain/purchase/purchase.js';
import { cancel } from '../../../src/domain/session/session.js';
import { purchase } from '../builders.js';
import { forAll } from '../for-all.js';
import {
  COMPLETED,
  FAILED,
  hear,
  heard,
  LATER,
  PROCESSING,
  UPDATE_KINDS,
  type UpdateKind,
  UPDATED,
} from './updates.js';

const anyUpdates = fc.array(fc.constantFrom(...UPDATE_KINDS), { maxLength: 12 });

/** Applies provider updates, with a cancel by the partner at one point, and collects all announcements. */
function play(
  updates: readonly UpdateKind[],
  cancelAt: number,
): {
  readonly last: SessionPurchase;
  readonly types: readonly string[];
  readonly sequences: readonly (number | null)[];
} {
  let last = purchase();
  const announcements: { readonly type: string; readonly sequence: number | null }[] = [];
  updates.forEach((one, at) => {
    const cancelled = at === cancelAt ? cancel(last.session) : null;
    if (cancelled?.isOk()) {
      announcements.push(...cancelled.value.announcements);
      last = endIntent({ ...last, session: cancelled.value.session }, LATER);
    }
    const step = hear(last, one, LATER + at);
    if (step === null) return;
    announcements.push(...step.announcements);
    last = step.purchase;
  });
  return {
    last,
    types: announcements.map(({ type }) => type),
    sequences: announcements.map(({ sequence }) => sequence),
  };
}

describe('for updates in any order, with a cancel in between', () => {
  forAll([anyUpdates, fc.nat(12)])('sequences are gap-free, and the session closes once', (updates, cancelAt) => {
    const { types, sequences, last } = play(updates, cancelAt);
    expect(sequences).toEqual(sequences.map((_one, at) => at + 2));
    const closings = types.filter((type) => type === COMPLETED || type === 'gate_session.cancelled');
    expect(closings).toHaveLength(last.session.status === 'open' ? 0 : 1);
    expect(types.filter((type) => type === PROCESSING).length).toBeLessThanOrEqual(1);
    expect(types.filter((type) => type === FAILED).length).toBeLessThanOrEqual(1);
  });

  forAll([anyUpdates, fc.nat(12)])(
    'after the close nothing but transaction.updated is announced',
    (updates, cancelAt) => {
      const { types } = play(updates, cancelAt);
      const closed = types.findIndex((type) => type === COMPLETED || type === 'gate_session.cancelled');
      if (closed >= 0)
        expect(new Set(types.slice(closed + 1))).toEqual(
          new Set(types.slice(closed + 1).filter((type) => type === UPDATED)),
        );
    },
  );

  forAll([anyUpdates, fc.nat(12)])('the transaction ends at the highest rank it received', (updates, cancelAt) => {
    const { last } = play(updates, cancelAt);
    const highest = (['charged_back', 'refunded'] as const).find((kind) => updates.includes(kind));
    if (highest !== undefined) expect(last.transaction.status).toBe(highest);
    else if (updates.includes('succeeded')) expect(last.transaction.status).toBe('completed');
  });

  forAll([anyUpdates, fc.nat(12), fc.constantFrom(...UPDATE_KINDS)])(
    'the same update twice is heard once',
    (updates, cancelAt, repeated) => {
      const after = heard(play(updates, cancelAt).last, repeated);
      expect(hear(after, repeated, LATER + 99_000)).toBeNull();
    },
  );

  forAll([anyUpdates, fc.nat(12)])(
    'what no longer lives looks as if it: no stage is running, nothing is asked, nothing held',
    (updates, cancelAt) => {
      const { session, intent, transaction } = play(updates, cancelAt).last;
      if (['created', 'requires_action', 'processing'].includes(intent.status)) return;
      expect(transaction.stages.filter(({ status }) => status === 'processing')).toEqual([]);
      expect(intent).toMatchObject({ nextAction: null, expiresAt: null, stepTaskId: null });
      expect(session).toMatchObject({ intentId: null, heldSince: null });
    },
  );

  forAll([anyUpdates, fc.nat(12)])('identity, terms and metadata stay', (updates, cancelAt) => {
    const { last } = play(updates, cancelAt);
    const first = purchase();
    expect(last.session).toMatchObject({
      id: first.session.id,
      terms: first.session.terms,
      metadata: first.session.metadata,
      expiresAt: first.session.expiresAt,
    });
    expect(last.transaction).toMatchObject({
      refid: first.transaction.refid,
      sessionId: first.session.id,
      intentId: first.intent.id,
    });
  });
});
