import assert from 'node:assert/strict';
import { decimal, type Refund, type Transaction } from '@gateramp/core/domain';
import type { Provider, RefundAnswer, RefundingProvider, RefundOrder, Store } from '@gateramp/core/ports';
import type { TestGate, TestResponse } from '@gateramp/testing';
import { Scene } from './scene.js';
import type { Actor } from './turns.js';
import { isExpected } from './verdict.js';

/** Concurrent disturbances of refunds. */
export const REFUND_DISTURBANCES = [
  'worker',
  'worker after the leases have lapsed',
  'callback of success',
  'callback of a refund',
  'callback of a returned refund',
  'callback of a chargeback in part',
  'callback of a won dispute',
  'end of patience',
  'crash',
] as const;

/** The outcome of one call of the provider's `refund`. */
export const REFUND_CALLS = ['made', 'not sent', 'answer lost'] as const;

/** Concurrent refunds of one payment, in an order that the seed alone decides. */
export interface RefundTrial {
  /** The outcomes of the first calls, in order; later calls succeed. */
  readonly calls: readonly (typeof REFUND_CALLS)[number][];
  readonly roles: readonly RefundRole[];
  readonly seed: number;
}

export interface RefundRole {
  readonly part: 'operator' | (typeof REFUND_DISTURBANCES)[number];
  readonly process: 'A' | 'B';
  readonly hesitation: number;
  /** Null for the whole remainder. */
  readonly amount: string | null;
  readonly key: number;
}

/** The sent requests by key. */
type Sent = Map<string, { readonly body: object; readonly answers: TestResponse[] }>;

/** Runs one trial and checks its result; the error of a failed trial contains its trace. */
export async function playRefundTrial(store: Store, { calls, roles, seed }: RefundTrial): Promise<void> {
  const left = [...calls];
  const scene = await Scene.open(store, 'card', seed, 50, (provider) => unreliable(provider, () => left.shift()));
  await scene.begin(scene.still);
  await scene.still.clock.advance('5m');
  const { txRefid } = await scene.session();
  if (txRefid === null) throw new Error('The session is not completed.');
  const sent: Sent = new Map();
  const actors = roles.map((role, index): Actor => {
    const process = role.part === 'crash' ? 'fate' : role.process;
    return { name: `${role.part} ${index}`, process, act: () => play(scene, txRefid, role, sent) };
  });
  try {
    await scene.turns.run(actors);
    await expectRefundsRight(scene, txRefid, sent);
  } catch (error) {
    throw new Error(`${String(error)}\n${scene.turns.story.join('\n')}`, { cause: error });
  }
}

function unreliable(provider: RefundingProvider, nextCall: () => RefundTrial['calls'][number] | undefined): Provider {
  const refund = async (order: RefundOrder): Promise<RefundAnswer> => {
    const call = nextCall();
    if (call === 'not sent') return { kind: 'not_sent', retryable: true, reason: 'connection refused' };
    const answer = await provider.refund(order);
    if (call === 'answer lost') throw new Error('The answer is lost.');
    return answer;
  };
  return { ...provider, refund };
}

async function play(scene: Scene, refid: string, role: RefundRole, sent: Sent): Promise<void> {
  for (let turn = 0; turn < role.hesitation; turn += 1) await scene.turns.turn('hesitates');
  const t = scene.processes[role.process];
  switch (role.part) {
    case 'operator':
      return refund(scene, t, refid, role, sent);
    case 'worker':
      return t.gate.runDue();
    case 'worker after the leases have lapsed':
      await scene.turns.turn('lets time pass');
      await scene.still.clock.advanceTo(scene.still.clock.now('test') + 31_000);
      return t.gate.runDue();
    case 'callback of success':
    case 'callback of a refund': {
      const outcome = role.part === 'callback of success' ? 'succeeded' : 'refunded';
      await scene.callback(t, await operationOf(scene, refid), outcome);
      return;
    }
    case 'callback of a returned refund':
      return returnLastRefund(scene, t, refid);
    case 'callback of a chargeback in part':
      await scene.callback(t, await operationOf(scene, refid), 'charged_back', { dispute: DISPUTE });
      return;
    case 'callback of a won dispute':
      await scene.callback(t, await operationOf(scene, refid), 'dispute_won', { dispute: DISPUTE });
      return;
    case 'end of patience':
      scene.deadlines.expire();
      scene.hasExpiredDeadlines = true;
      return;
    case 'crash':
      scene.turns.kill('A');
  }
}

const DISPUTE = { id: 'dp_1', amount: '5.00' };

/** The bank can only return what the provider has made. */
async function returnLastRefund(scene: Scene, t: TestGate, refid: string): Promise<void> {
  const operationId = await operationOf(scene, refid);
  const refunds = (await scene.still.ledger.read(operationId))?.refunds ?? [];
  const now = scene.still.clock.now('test');
  const refundId = refunds.findLast(({ failure, endsAt }) => failure === null && endsAt <= now)?.refundId;
  if (refundId === undefined) return;
  await scene.callback(t, operationId, 'refund_returned', { refund_id: refundId });
  scene.returned.add(refundId);
}

async function refund(scene: Scene, t: TestGate, refid: string, { amount, key }: RefundRole, sent: Sent) {
  const body = amount === null ? {} : { amount };
  const name = `${key}/${JSON.stringify(body)}`;
  const request = sent.get(name) ?? { body, answers: [] };
  sent.set(name, request);
  request.answers.push(await scene.refund(t, refid, body, `key-${key}`));
}

async function operationOf(scene: Scene, refid: string): Promise<string> {
  const { store } = scene.still;
  const transaction = await store.find('transaction', scene.scope, refid);
  const intent = transaction === null ? null : await store.find('intent', scene.scope, transaction.intentId);
  if (intent === null) throw new Error('The payment is missing.');
  return intent.operationId;
}

/** No more is refunded than was paid, each refund ends once and as the provider reports, and repeats of a key return the same bytes. */
async function expectRefundsRight(scene: Scene, refid: string, sent: Sent): Promise<void> {
  const { still } = scene;
  // Leases expire and lost calls are retried; keys have not expired yet.
  await still.clock.advance('2h');
  await expectReturnsRecorded(scene, refid);
  const transaction = await still.store.find('transaction', scene.scope, refid);
  if (transaction === null) throw new Error('The transaction is missing.');
  const refunds = transaction.refunds ?? [];
  const shown = await everythingShown(scene, sent);
  expectOneEnd(refunds, shown);
  await expectBooksRight(scene, transaction, refunds);
  await expectReplays(scene, refid, sent);
  assert.ok(refunds.length <= new Set([...sent.keys()].map((name) => name.split('/')[0])).size, 'a key refunded twice');
  for (const answer of scene.answers)
    assert.ok(isExpected(answer, scene.hasExpiredDeadlines), `answered ${answer.status}: ${answer.text}`);
}

/**
 * A return that was acknowledged is known. The provider sends a callback again that a crash left without an answer: then every return is
 * known, and no other.
 */
async function expectReturnsRecorded(scene: Scene, refid: string): Promise<void> {
  const operationId = await operationOf(scene, refid);
  const acknowledged = await returnedIds(scene, refid);
  for (const id of scene.returned) assert.ok(acknowledged.includes(id), 'an acknowledged return is lost');
  const refunds = (await scene.still.ledger.read(operationId))?.refunds ?? [];
  const returned = refunds.filter(({ returnedAt = null }) => returnedAt !== null).map(({ refundId }) => refundId);
  for (const refund_id of returned) await scene.callback(scene.still, operationId, 'refund_returned', { refund_id });
  assert.deepEqual(await returnedIds(scene, refid), returned.sort(), 'a returned refund is lost or invented');
}

async function returnedIds(scene: Scene, refid: string): Promise<readonly string[]> {
  const transaction = await scene.still.store.find('transaction', scene.scope, refid);
  const returned = (transaction?.refunds ?? []).filter(({ returnedAt = null }) => returnedAt !== null);
  return returned.map(({ id }) => id).sort();
}

interface Shown {
  readonly id: string;
  readonly status: string;
}

/** All states of refunds in responses and webhooks. */
async function everythingShown(scene: Scene, sent: Sent): Promise<readonly (readonly Shown[])[]> {
  const events = await scene.still.store.list('session_event', scene.scope, scene.sessionId);
  const delivered = events
    .filter(({ type }) => type === 'transaction.updated')
    .map(({ body }) => (JSON.parse(body) as { readonly data: { readonly refunds: readonly Shown[] } }).data.refunds);
  const answered = [...sent.values()].flatMap(({ answers }) =>
    answers.filter(({ status }) => status === 201).map(({ json }) => json['refunds'] as readonly Shown[]),
  );
  return [...delivered, ...answered];
}

function expectOneEnd(refunds: readonly Refund[], shown: readonly (readonly Shown[])[]): void {
  for (const { id, status } of refunds) {
    assert.notEqual(status, 'pending', 'a refund stays pending');
    const seen = new Set(shown.flat().flatMap((one) => (one.id === id ? [one.status] : [])));
    seen.delete('pending');
    assert.deepEqual([...seen], [status], `a refund that ${status} was shown otherwise, or its end never`);
  }
}

const BACK = ['refund', 'chargeback'];
const BACK_IN = ['refund_returned', 'dispute_won'];

async function expectBooksRight(scene: Scene, transaction: Transaction, refunds: readonly Refund[]): Promise<void> {
  const { ledger, clock } = scene.still;
  const paid = transaction.source.amount ?? '0';
  const operationId = await operationOf(scene, transaction.refid);
  const effects = await ledger.effects(operationId, clock.now('test'));
  const out = total(effects.filter(({ kind }) => BACK.includes(kind)));
  const returned = decimal.subtract(out, total(effects.filter(({ kind }) => BACK_IN.includes(kind))));
  assert.ok(decimal.compare(returned, paid) <= 0, `${returned} of ${paid} went back`);
  const succeeded = refunds.filter(({ status }) => status === 'succeeded');
  assert.ok(decimal.compare(total(succeeded), paid) <= 0, `refunds of ${total(succeeded)} succeeded`);
  const operation = await ledger.read(operationId);
  const made = (operation?.refunds ?? []).filter(({ failure }) => failure === null).map(({ refundId }) => refundId);
  assert.deepEqual([...made].sort(), succeeded.map(({ id }) => id).sort(), 'the rails have made other refunds');
  const isWhole = decimal.compare(total(succeeded), paid) === 0;
  if (isWhole) assert.ok(['refunded', 'charged_back'].includes(transaction.status), transaction.status);
}

function total(amounts: readonly { readonly amount: string }[]): string {
  return amounts.reduce((sum, { amount }) => decimal.add(sum, amount), '0');
}

async function expectReplays(scene: Scene, refid: string, sent: Sent): Promise<void> {
  for (const [name, { body, answers }] of sent) {
    const again = await scene.refund(scene.still, refid, body, `key-${name.split('/')[0] ?? ''}`);
    const replies = answers.filter(({ status }) => status === 201).map(({ text }) => text);
    if (replies.length > 0) replies.push(again.text);
    assert.ok(new Set(replies).size <= 1, `one key was answered ${replies.join(' and ')}`);
  }
}
