import assert from 'node:assert/strict';
import fc from 'fast-check';
import { isTerminal, toJsonText, type Instant, type Session, type Transition } from '@gateramp/core/domain';
import { isHeld } from '../../../src/domain/session/session.js';
import { sameTerms } from '../../../src/domain/session/terms.js';
import { ACME, GIVEN, OPEN_TERMS, POLICY, T0, anId } from '../../../../conformance/src/builders.js';
import { domainTopic, refusalOf, type DomainSubject } from './domain-subject.js';

const TERMINAL_EVENTS = ['gate_session.completed', 'gate_session.expired', 'gate_session.cancelled'];

function opened(domain: DomainSubject): Transition {
  const id = anId(T0);
  return domain.openSession(
    {
      given: {
        ...GIVEN,
        terms: { ...OPEN_TERMS, flow: 'on_ramp', amount: '100.0', targetToken: 'USDC', walletAddress: '0xAbC' },
        metadata: toJsonText({ order: 7 }),
      },
      id,
      scope: ACME,
      kyc: null,
      secretPrefix: 'gsec_',
      secretHash: 'hash',
    },
    T0,
    POLICY,
  );
}

/** Any operation on a session, in any order; `after` is its time, relative to the expiry. */
type Ask =
  | { readonly kind: 'cancel' | 'complete' | 'announce' | 'hold' | 'release' }
  | { readonly kind: 'expire'; readonly after: number };

const asks: fc.Arbitrary<readonly Ask[]> = fc.array(
  fc.oneof(
    fc.constantFrom('cancel', 'complete', 'announce', 'hold', 'release').map((kind): Ask => ({ kind })),
    fc.integer({ min: -2, max: 2 }).map((after): Ask => ({ kind: 'expire', after })),
  ),
  { maxLength: 12 },
);

/** The domain's transition; null if it refuses or has nothing to do. */
function answer(domain: DomainSubject, session: Session, ask: Ask): Transition | null {
  switch (ask.kind) {
    case 'cancel':
      return domain.cancel(session).unwrapOr(null);
    case 'expire':
      return domain.expireIfDue(session, session.expiresAt + ask.after);
    case 'complete':
      return isTerminal(session) ? null : domain.complete(session, 'gtx_00000000000000000001');
    case 'announce':
      return isTerminal(session)
        ? null
        : domain.announce(session, 'gate_session.processing', { intent_id: 'f'.repeat(24) });
    case 'hold':
    case 'release':
      return isTerminal(session)
        ? null
        : { session: { ...session, heldSince: ask.kind === 'hold' ? T0 : null }, announcements: [] };
  }
}

/** All transitions of a session, including its creation. */
function lived(domain: DomainSubject, life: readonly Ask[]): readonly Transition[] {
  const steps = [opened(domain)];
  for (const ask of life) {
    const before = steps.at(-1)?.session;
    const step = before === undefined ? null : answer(domain, before, ask);
    if (step !== null) steps.push(step);
  }
  return steps;
}

function everyLife(domain: DomainSubject, holds: (steps: readonly Transition[]) => void): void {
  fc.assert(
    fc.property(asks, (life) => holds(lived(domain, life))),
    { numRuns: 300 },
  );
}

function closed(domain: DomainSubject): readonly Session[] {
  const { session } = opened(domain);
  const expired = domain.expireIfDue(session, session.expiresAt + 1);
  assert.ok(expired !== null);
  return [domain.cancel(session)._unsafeUnwrap().session, expired.session, domain.complete(session, 'gtx_1').session];
}

export const sessionLaws = domainTopic('Domain: sessions', {
  'is still open at the very instant it expires and expired one millisecond later'(domain) {
    const { session } = opened(domain);
    assert.equal(session.expiresAt, T0 + POLICY.sessionLifetime);
    assert.equal(domain.expireIfDue(session, session.expiresAt), null);
    assert.equal(domain.expireIfDue(session, session.expiresAt + 1)?.session.status, 'expired');
  },

  'expires open sessions only: one that is closed never expires on top of it'(domain) {
    const far: Instant = T0 + 10 * POLICY.sessionLifetime;
    for (const session of closed(domain)) assert.equal(domain.expireIfDue(session, far), null, session.status);
  },

  'neither expires nor cancels a session that is held'(domain) {
    const held = { ...opened(domain).session, heldSince: T0 };
    assert.equal(domain.expireIfDue(held, held.expiresAt + 1), null);
    assert.equal(refusalOf(domain.cancel(held)), 'session_processing');
  },

  'refuses to cancel or complete a session that is closed'(domain) {
    for (const session of closed(domain)) {
      assert.equal(refusalOf(domain.cancel(session)), 'session_not_open');
      assert.throws(() => domain.complete(session, 'gtx_2'));
    }
  },

  'leaves a terminal state never again, whatever is asked of it'(domain) {
    everyLife(domain, (steps) => {
      const end = steps.findIndex(({ session }) => isTerminal(session));
      if (end >= 0) assert.equal(steps.length, end + 1);
    });
  },

  'announces exactly one end of a session that has ended and none of one that has not'(domain) {
    everyLife(domain, (steps) => {
      const ends = steps.flatMap((step) => step.announcements).filter(({ type }) => TERMINAL_EVENTS.includes(type));
      const last = steps.at(-1)?.session;
      assert.deepEqual(
        ends.map(({ type }) => type),
        last === undefined || !isTerminal(last) ? [] : [`gate_session.${last.status}`],
      );
    });
  },

  'numbers the events of a session from 1 without a hole, through any sequence of transitions'(domain) {
    everyLife(domain, (steps) => {
      const sequences = steps.flatMap((step) => step.announcements).map(({ sequence }) => sequence);
      assert.deepEqual(
        sequences,
        sequences.map((_, nth) => nth + 1),
      );
      assert.equal(steps.at(-1)?.session.sequence, sequences.length);
    });
  },

  'changes no term of a session through any sequence of transitions'(domain) {
    everyLife(domain, ([first, ...rest]) => {
      for (const { session } of rest) {
        assert.ok(first !== undefined && sameTerms(session.terms, first.session.terms));
        assert.equal(session.expiresAt, first.session.expiresAt);
        assert.equal(session.metadata, first.session.metadata);
      }
    });
  },

  'holds a settled transaction exactly when it is completed, and holds money only while open'(domain) {
    everyLife(domain, (steps) => {
      for (const { session } of steps) {
        assert.equal(session.txRefid !== null, session.status === 'completed');
        if (isTerminal(session)) assert.ok(!isHeld(session) && session.intentId === null);
      }
    });
  },

  'freezes in every event the session as it was after that event'(domain) {
    everyLife(domain, (steps) => {
      for (const { session, announcements } of steps) {
        for (const { data } of announcements) {
          // The data was rendered by `sessionResource`, so it is an object with these members.
          const frozen = JSON.parse(data) as { status: string; amount: string; metadata: unknown };
          assert.deepEqual([frozen.status, frozen.amount, frozen.metadata], [session.status, '100.0', { order: 7 }]);
        }
      }
    });
  },
});
