import { rows } from '@gateramp/conformance';
import { endedAt, finishTask, freeAt, leaseOf, parkTask, sessionStatusAt } from '@gateramp/core/domain';
import { hasEnded } from '../../../src/domain/webhook/delivery.js';
import { readKey, type KeyRow } from '@gateramp/core/ports';
import { expect, it } from 'vitest';

const NOW = rows.T0;
const lease = { now: NOW, leaseMs: 60_000, token: 'token' };

it('work is free when it is due or its lease expires, and never once it has ended or is parked', () => {
  const task = rows.aTask({ dueAt: NOW });
  expect(freeAt(task)).toBe(NOW);
  expect(freeAt({ ...task, ...leaseOf(task, lease) })).toBe(NOW + 60_000);
  expect([freeAt(finishTask(task)), freeAt(parkTask(task))]).toEqual([null, null]);
});

it('a lease counts as a claim', () => {
  expect(leaseOf({ claims: 2 }, lease)).toEqual({ leaseToken: 'token', leaseUntil: NOW + 60_000, claims: 3 });
});

it('a session counts as expired a millisecond after its deadline, unless it is held', () => {
  const { session } = rows.aSession();
  const over = session.expiresAt + 1;
  expect([sessionStatusAt(session, session.expiresAt), sessionStatusAt(session, over)]).toEqual(['open', 'expired']);
  expect(sessionStatusAt({ ...session, heldSince: NOW }, over)).toBe('open');
  expect(sessionStatusAt({ ...session, status: 'completed' }, over)).toBe('completed');
});

it('a delivery ends when it is delivered or dead-lettered, at that instant', () => {
  const ends = (status: 'pending' | 'retrying' | 'delivered' | 'dead_lettered', deliveredAt: number | null) => {
    const delivery = {
      ...rows.aDelivery(rows.aPartnerEvent(rows.ACME, NOW), NOW),
      status,
      dueAt: NOW,
      deliveredAt,
      deadLetteredAt: NOW + 7,
    };
    return [hasEnded(delivery), endedAt(delivery), freeAt(delivery)];
  };
  expect(ends('pending', null)).toEqual([false, null, NOW]);
  expect(ends('retrying', null)).toEqual([false, null, NOW]);
  expect(ends('delivered', NOW + 5)).toEqual([true, NOW + 5, null]);
  expect(ends('dead_lettered', null)).toEqual([true, NOW + 7, null]);
});

it('a key is valid up to and including its expiry, and free a millisecond later', () => {
  const ref = { scope: 'scope', keyHash: 'hash', fingerprint: 'print' };
  const started: KeyRow = {
    fingerprint: 'print',
    state: { kind: 'started', resourceId: 'r', taskId: 't' },
    expiresAt: NOW,
  };
  expect(readKey(null, ref, NOW)).toBeNull();
  expect(readKey(started, ref, NOW)).toEqual({ kind: 'in_progress', resourceId: 'r', taskId: 't' });
  expect(readKey(started, ref, NOW + 1)).toBeNull();
  expect(readKey(started, { ...ref, fingerprint: 'other' }, NOW)).toEqual({ kind: 'key_mismatch' });
});
