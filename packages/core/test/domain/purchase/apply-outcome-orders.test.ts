import fc from 'fast-check';
import { describe, expect } from 'vitest';

import { endIntent } from '../../../src/domain/purchase/end-intent.js';
import type { SessionPurchase } from '../../../src/domain/purchase/purchase.js';
import { cancel } from '../../../src/domain/session/session.js';
import { purchase } from '../builders.js';
import { forAll } from '../for-all.js';
import { COMPLETED, FAILED, hear, heard, LATER, type News, NEWS, PROCESSING, UPDATED } from './news.js';

const anyNews = fc.array(fc.constantFrom(...NEWS), { maxLength: 12 });

/** Plays news, with the partner cancelling at one point, and collects all that is told. */
function play(
  news: readonly News[],
  cancelAt: number,
): {
  readonly last: SessionPurchase;
  readonly types: readonly string[];
  readonly sequences: readonly (number | null)[];
} {
  let last = purchase();
  const announcements: { readonly type: string; readonly sequence: number | null }[] = [];
  news.forEach((one, at) => {
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

describe('in whatever order news arrives, with a cancel in between', () => {
  forAll([anyNews, fc.nat(12)])('sequences are gap-free, and the session closes once', (news, cancelAt) => {
    const { types, sequences, last } = play(news, cancelAt);
    expect(sequences).toEqual(sequences.map((_one, at) => at + 2));
    const closings = types.filter((type) => type === COMPLETED || type === 'gate_session.cancelled');
    expect(closings).toHaveLength(last.session.status === 'open' ? 0 : 1);
    expect(types.filter((type) => type === PROCESSING).length).toBeLessThanOrEqual(1);
    expect(types.filter((type) => type === FAILED).length).toBeLessThanOrEqual(1);
  });

  forAll([anyNews, fc.nat(12)])('after the close nothing but transaction.updated is told', (news, cancelAt) => {
    const { types } = play(news, cancelAt);
    const closed = types.findIndex((type) => type === COMPLETED || type === 'gate_session.cancelled');
    if (closed >= 0)
      expect(new Set(types.slice(closed + 1))).toEqual(
        new Set(types.slice(closed + 1).filter((type) => type === UPDATED)),
      );
  });

  forAll([anyNews, fc.nat(12)])('the transaction ends at the highest rank it heard of', (news, cancelAt) => {
    const { last } = play(news, cancelAt);
    const highest = (['charged_back', 'refunded'] as const).find((kind) => news.includes(kind));
    if (highest !== undefined) expect(last.transaction.status).toBe(highest);
    else if (news.includes('succeeded')) expect(last.transaction.status).toBe('completed');
  });

  forAll([anyNews, fc.nat(12), fc.constantFrom(...NEWS)])(
    'the same news twice is heard once',
    (news, cancelAt, repeated) => {
      const after = heard(play(news, cancelAt).last, repeated);
      expect(hear(after, repeated, LATER + 99_000)).toBeNull();
    },
  );

  forAll([anyNews, fc.nat(12)])(
    'what no longer lives looks as if it: no stage is running, nothing is asked, nothing held',
    (news, cancelAt) => {
      const { session, intent, transaction } = play(news, cancelAt).last;
      if (['created', 'requires_action', 'processing'].includes(intent.status)) return;
      expect(transaction.stages.filter(({ status }) => status === 'processing')).toEqual([]);
      expect(intent).toMatchObject({ nextAction: null, expiresAt: null, stepTaskId: null });
      expect(session).toMatchObject({ intentId: null, heldSince: null });
    },
  );

  forAll([anyNews, fc.nat(12)])('identity, terms and metadata stay', (news, cancelAt) => {
    const { last } = play(news, cancelAt);
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
