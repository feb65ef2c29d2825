import type { Scope } from '@gateramp/core';
import { announce, complete, recordDeliveryAttempt } from '@gateramp/core/domain';
import { gateDomain, type DomainSubject } from './domain-subject.js';

/** Each breaks one rule in a way that is easy to write and hard to notice. */
export const domainFaults = {
  'off by one at five': () => ({
    ...gateDomain,
    recordDeliveryAttempt: (delivery, result, now, policy) =>
      recordDeliveryAttempt(delivery, result, now, { ...policy, retryGaps: policy.retryGaps.slice(0, -1) }),
  }),

  'one attempt too many': () => ({
    ...gateDomain,
    recordDeliveryAttempt: (delivery, result, now, policy) =>
      recordDeliveryAttempt(delivery, result, now, { ...policy, retryGaps: [...policy.retryGaps, 1] }),
  }),

  'expiry without a status guard': () => ({
    ...gateDomain,
    expireIfDue(session, now) {
      if (now <= session.expiresAt || session.heldSince !== null) return null;
      return announce({ ...session, status: 'expired', intentId: null }, 'gate_session.expired', {});
    },
  }),

  'expiry at the exact instant': () => ({
    ...gateDomain,
    expireIfDue: (session, now) => gateDomain.expireIfDue(session, now + 1),
  }),

  'key scope without the partner': () => ({
    ...gateDomain,
    idempotencyScope: (scope: Scope, sessionId) => (sessionId === null ? scope.mode : `${scope.mode}/${sessionId}`),
  }),

  '`t` reused across attempts': () => {
    const first = new Map<string, number>();
    return {
      ...gateDomain,
      signAttempt(attempt) {
        const wallSeconds = first.get(attempt.event.id) ?? attempt.wallSeconds;
        first.set(attempt.event.id, wallSeconds);
        return gateDomain.signAttempt({ ...attempt, wallSeconds });
      },
    };
  },

  'a re-serialised body': () => ({
    ...gateDomain,
    signAttempt(attempt) {
      const body = JSON.stringify(JSON.parse(attempt.event.body));
      return gateDomain.signAttempt({ ...attempt, event: { ...attempt.event, body } });
    },
  }),

  'a hole in `sequence`': () => ({
    ...gateDomain,
    cancel: (session) => gateDomain.cancel({ ...session, sequence: session.sequence + 1 }),
  }),

  'a second completion': () => ({
    ...gateDomain,
    applyOutcome(purchase, update, context) {
      const step = gateDomain.applyOutcome(purchase, update, context);
      const { session } = purchase;
      if (update.outcome.kind !== 'succeeded' || session?.status !== 'completed') return step;
      const completed = complete({ ...session, status: 'open' }, purchase.intent.txRefid);
      return {
        purchase: { ...purchase, session: completed.session },
        announcements: completed.announcements,
        alarms: [],
      };
    },
  }),

  'a late success that was dropped': () => ({
    ...gateDomain,
    applyOutcome: (purchase, update, context) =>
      purchase.intent.status === 'failed' ? null : gateDomain.applyOutcome(purchase, update, context),
  }),

  'a signature that is accepted for any body': () => ({
    ...gateDomain,
    verifyAttempt: (received) =>
      gateDomain.verifyAttempt({ ...received, body: received.body.slice() }) || received.signature.includes('v1='),
  }),

  'a tolerance without an upper bound': () => ({
    ...gateDomain,
    isFresh: (t, nowSeconds, toleranceSeconds) => Math.abs(nowSeconds - t) < toleranceSeconds,
  }),

  'a wallet that may be swapped': () => ({
    ...gateDomain,
    bindTerms: (terms, attempt) => gateDomain.bindTerms({ ...terms, walletAddress: null }, attempt),
  }),
} satisfies Record<string, () => DomainSubject>;
