import assert from 'node:assert/strict';
import { HOUR, type Transaction } from '@gateramp/core/domain';
import type { TestResponse } from '@gateramp/testing';
import type { Scene } from './scene.js';

const ALL = { status: null, flow: null, sessionId: null, userReference: null, createdAfter: null, createdBefore: null };
const TERMINAL = ['completed', 'cancelled', 'expired'];
const IN = ['charge', 'deposit'];
const OUT = ['delivery', 'payout'];
const BACK = ['refund', 'chargeback'];

/**
 * Compares the outcome of a session with the provider's ledger. Money was kept exactly if one payment completed the session, or if the
 * provider reported that it had arrived for an attempt that was over.
 */
export async function expectMoneyWhereItBelongs(scene: Scene): Promise<void> {
  await comeToRest(scene);
  const session = await scene.session();
  assert.ok(TERMINAL.includes(session.status), `the session ends; it is ${session.status}`);
  assert.equal(session.heldSince, null, 'a session that has ended holds nothing');
  const payments = await paymentsOf(scene);
  const own = payments.filter(({ isKept, transaction }) => isKept && !transaction.settledAfterClose);
  assert.deepEqual(
    own.map(({ transaction }) => transaction.refid),
    session.status === 'completed' ? [session.txRefid] : [],
    `a session that is ${session.status} kept the money of ${own.length} payments`,
  );
  // A report out of order may have completed the session for one attempt while another was taking the buyer's money: both are reported.
  const isClosedByReport = own.some(({ operationId }) => scene.reported.has(operationId));
  for (const { isKept, transaction, operationId } of payments) {
    if (transaction.status === 'refunded') continue;
    assert.equal(
      isKept,
      transaction.status === 'completed',
      `money kept: ${isKept}; its transaction is ${transaction.status}`,
    );
    if (!isKept || scene.reported.has(operationId) || isClosedByReport) continue;
    assert.equal(transaction.settledAfterClose, false, 'money is taken after the close only when the rails said so');
    assert.ok(
      !scene.cancelled.has(transaction.intentId),
      'an attempt that was cancelled before money moved moves none',
    );
  }
  await expectNotifiedOnce(scene);
  await expectPlacesRight(scene, session.status === 'completed' ? 1 : 0);
  for (const [request, answers] of scene.keyed) {
    const replies = answers.filter(({ status }) => status < 300).map(({ text }) => text);
    assert.ok(new Set(replies).size <= 1, `${request} was answered ${replies.join(' and ')}`);
  }
  for (const answer of scene.answers)
    assert.ok(isExpected(answer, scene.hasExpiredDeadlines), `answered ${answer.status}: ${answer.text}`);
}

/** Whether an answer is acceptable: no server error, except one that asks for a retry or follows a provider timeout. */
export function isExpected({ status, json }: TestResponse, isProviderLate: boolean): boolean {
  return status < 500 || json['code'] === 'try_again' || (isProviderLate && json['code'] === 'service_unavailable');
}

/** Lets leases expire, operations settle, and actions and the session time out; a worker then processes everything that is due. */
async function comeToRest(scene: Scene): Promise<void> {
  await scene.still.clock.advance('10m');
  await scene.still.clock.advance('50h');
  await scene.retrieve(scene.still);
  await scene.still.clock.advance('10m');
}

interface Payment {
  readonly transaction: Transaction;
  readonly operationId: string;
  readonly isKept: boolean;
}

async function paymentsOf(scene: Scene): Promise<readonly Payment[]> {
  const { store, ledger, clock } = scene.still;
  const page = { limit: 50, start: { kind: 'newest' as const } };
  const transactions = await store.list('transaction', scene.scope, { ...ALL, sessionId: scene.sessionId }, page);
  return Promise.all(
    transactions.map(async (transaction) => {
      const intent = await store.find('intent', scene.scope, transaction.intentId);
      assert.ok(
        intent !== null && ['succeeded', 'failed', 'cancelled'].includes(intent.status),
        `an intent stays ${String(intent?.status)}`,
      );
      assert.equal(intent.stepTaskId, null, 'a step stays under way');
      const kinds = (await ledger.effects(intent.operationId, clock.now('test'))).map(({ kind }) => kind);
      assert.equal(new Set(kinds).size, kinds.length, `one operation did ${kinds.join(', ')}`);
      const has = (some: readonly string[]): boolean => kinds.some((kind) => some.includes(kind));
      // Returned money had been kept if it had settled before.
      const isKept =
        transaction.status === 'refunded' ? transaction.completedAt !== null : has(OUT) || (has(IN) && !has(BACK));
      return { transaction, operationId: intent.operationId, isKept };
    }),
  );
}

async function expectNotifiedOnce(scene: Scene): Promise<void> {
  const events = await scene.still.store.list('session_event', scene.scope, scene.sessionId);
  assert.deepEqual(
    events.map(({ sequence }) => sequence),
    events.map((_, index) => index + 1),
  );
  const ends = events.map(({ type }) => type.replace('gate_session.', '')).filter((type) => TERMINAL.includes(type));
  assert.deepEqual(ends, [(await scene.session()).status]);
}

/** The quota counts only completed sessions, although every attempt had reserved a place. */
async function expectPlacesRight({ still, scope }: Scene, completed: number): Promise<void> {
  const first = still.clock.now('test') - 80 * HOUR;
  const months = [first, still.clock.now('test')].map((now) => new Date(now).toISOString().slice(0, 7));
  const names = [...new Set(months)].map((month) => `session_places/${scope.partnerId}/${scope.mode}/${month}`);
  const taken = (await still.store.readCounters(scope, names)).reduce((sum, count) => sum - Number(count), 0);
  assert.equal(taken, completed, `${taken} places of the quota are taken`);
}
