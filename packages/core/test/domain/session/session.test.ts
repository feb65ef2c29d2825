import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { JsonText } from '../../../src/domain/json.js';
import { DEFAULT_POLICY } from '../../../src/domain/policy.js';
import { openSession } from '../../../src/domain/session/open-session.js';
import {
  cancel,
  complete,
  expireIfDue,
  isOverdue,
  isTerminal,
  SESSION_STATUSES,
  type Session,
  type SessionStatus,
} from '../../../src/domain/session/session.js';
import { newSession, NOW, parsed, session } from '../builders.js';
import { forAll } from '../for-all.js';

const HOUR = 3_600_000;
const CLOSED: readonly SessionStatus[] = ['completed', 'expired', 'cancelled'];

describe('a new session', () => {
  it('is open for 24 hours and announces gate_session.created with the full session', () => {
    const opened = openSession(newSession(), NOW, DEFAULT_POLICY);
    expect(opened.session.status).toBe('open');
    expect(opened.session.expiresAt - NOW).toBe(24 * HOUR);
    expect(opened.announcements.map(({ type, sequence }) => [type, sequence])).toEqual([['gate_session.created', 1]]);
    expect(parsed(opened.announcements[0]?.data ?? '')).toMatchObject({
      object: 'gate_session',
      status: 'open',
      kyc_pre_verified: false,
    });
  });

  it('with an accepted kyc_package is pre-verified and announces a redacted acceptance next', () => {
    const kyc = { provider: 'idco', acceptedAt: NOW, digest: 'd1gest' };
    const opened = openSession(
      newSession({ kyc, given: { ...newSession().given, userReference: 'user-7' } }),
      NOW,
      DEFAULT_POLICY,
    );
    expect(opened.announcements.map(({ type, sequence }) => [type, sequence])).toEqual([
      ['gate_session.created', 1],
      ['gate_session.kyc_package_accepted', 2],
    ]);
    expect(opened.session.sequence).toBe(2);
    expect(parsed(opened.announcements[0]?.data ?? '')).toMatchObject({ kyc_pre_verified: true });
    expect(parsed(opened.announcements[1]?.data ?? '')).toEqual({
      object: 'kyc_package_acceptance',
      session_id: opened.session.id,
      partner_id: opened.session.partnerId,
      mode: 'test',
      provider: 'idco',
      accepted_at: '2026-03-10T12:00:00.000Z',
      user_reference: 'user-7',
    });
    expect(JSON.stringify(opened.announcements)).not.toContain('d1gest');
  });

  it('announces neither the secret hash nor its prefix', () => {
    const input = newSession();
    const announced = JSON.stringify(openSession(input, NOW, DEFAULT_POLICY).announcements);
    expect(announced).not.toContain(input.secretHash);
    expect(announced).not.toContain(input.secretPrefix);
  });
});

describe('expiry', () => {
  it('at now == expires_at the session is still open; a millisecond later it is expired', () => {
    const open = session();
    expect(expireIfDue(open, open.expiresAt)).toBeNull();
    const expired = expireIfDue(open, open.expiresAt + 1);
    expect(expired?.session.status).toBe('expired');
    expect(expired?.announcements.map(({ type, sequence }) => [type, sequence])).toEqual([['gate_session.expired', 2]]);
    expect(parsed(expired?.announcements[0]?.data ?? '')).toMatchObject({ object: 'gate_session', status: 'expired' });
  });

  it('happens once: an expired session does not expire again', () => {
    const open = session();
    const expired = expireIfDue(open, open.expiresAt + 1);
    expect(expired && expireIfDue(expired.session, open.expiresAt + 2)).toBeNull();
  });

  it('waits while money may be moving', () => {
    const held = session({ intentId: 'i', heldSince: NOW });
    expect(isOverdue(held, held.expiresAt + 48 * HOUR)).toBe(false);
    expect(expireIfDue(held, held.expiresAt + 48 * HOUR)).toBeNull();
  });
});

describe('cancel', () => {
  it('closes an open session and announces gate_session.cancelled', () => {
    const cancelled = cancel(session({ intentId: 'i' }))._unsafeUnwrap();
    expect(cancelled.session).toMatchObject({ status: 'cancelled', intentId: null, heldSince: null });
    expect(cancelled.announcements.map(({ type, sequence }) => [type, sequence])).toEqual([
      ['gate_session.cancelled', 2],
    ]);
    expect(parsed(cancelled.announcements[0]?.data ?? '')).toMatchObject({ status: 'cancelled' });
  });

  it.each(CLOSED)('is refused with session_not_open when the session is already %s', (status) => {
    expect(cancel(session({ status }))._unsafeUnwrapErr().code).toBe('session_not_open');
  });

  it('is refused with session_processing while the session is held', () => {
    expect(cancel(session({ intentId: 'i', heldSince: NOW }))._unsafeUnwrapErr().code).toBe('session_processing');
  });
});

describe('completion', () => {
  it('has the tx_refid and ends the hold', () => {
    const done = complete(session({ intentId: 'i', heldSince: NOW }), 'gtx_1');
    expect(done.session).toMatchObject({ status: 'completed', txRefid: 'gtx_1', intentId: null, heldSince: null });
    expect(done.announcements).toHaveLength(1);
    expect(done.announcements[0]).toMatchObject({ type: 'gate_session.completed', sequence: 2 });
    expect(parsed(done.announcements[0]?.data ?? '')).toMatchObject({
      object: 'gate_session',
      status: 'completed',
      tx_refid: 'gtx_1',
    });
  });

  it.each(CLOSED)('of a session that is %s is a bug, never a second completed', (status) => {
    expect(() => complete(session({ status }), 'gtx_1')).toThrow();
  });
});

/** All operations on a session, in any order, at any time. */
type Step = { readonly do: 'expire' | 'cancel' | 'complete'; readonly after: number };

function apply(from: Session, step: Step): Session {
  const now = NOW + step.after;
  if (step.do === 'expire') return expireIfDue(from, now)?.session ?? from;
  if (step.do === 'cancel')
    return cancel(from).match(
      (next) => next.session,
      () => from,
    );
  return isTerminal(from) ? from : complete(from, 'gtx_1').session;
}

const steps = fc.array(
  fc.record({ do: fc.constantFrom<Step['do']>('expire', 'cancel', 'complete'), after: fc.nat(72 * HOUR) }),
  { maxLength: 8 },
);

describe('for any operations on a session', () => {
  forAll([fc.constantFrom(...CLOSED), steps])('a terminal session stays as it is', (status, path) => {
    const closed = session({ status });
    expect(path.reduce(apply, closed)).toEqual(closed);
  });

  forAll([steps])('its terms, metadata and identity never change', (path) => {
    const metadata = '{"b":1.0,"a":1}' as JsonText;
    const open = session({ metadata, userReference: 'u' });
    const { status: _s, sequence: _q, intentId: _i, heldSince: _h, txRefid: _t, ...fixed } = open;
    const last = path.reduce(apply, open);
    expect(last).toMatchObject(fixed);
    expect(last.terms).toStrictEqual(open.terms);
  });

  forAll([steps])('it closes at most once, and is completed exactly when it has a transaction', (path) => {
    const last = path.reduce(apply, session());
    expect(SESSION_STATUSES).toContain(last.status);
    expect(last.sequence).toBe(last.status === 'open' ? 1 : 2);
    expect(last.txRefid !== null).toBe(last.status === 'completed');
  });
});
