import assert from 'node:assert/strict';
import { decimal } from '@gateramp/core/domain';
import { POOL_ROUTES } from '../../contract/pools/pool-routes.js';
import { ROUTES } from '../../../packages/conformance/src/http/routes.js';
import type { Members } from '../differential/command.js';
import { rowOf } from '../differential/known.js';
import { isContractual } from '../differential/play.js';
import { templateOf } from '../differential/template-of.js';
import type { Aftermath, Heard } from './crowd.js';
import type { Payment, Remains } from './remains.js';

export interface Law {
  readonly title: string;
  readonly check: (aftermath: Aftermath, remains: readonly Remains[]) => Promise<void> | void;
}

/** Guarantees for all concurrent requests. */
export const LAWS: readonly Law[] = [
  {
    title: 'a request is answered by the contract: no bug, and no refusal of ours but 503 try_again',
    check: ({ heard, t }) => {
      for (const { exchange, answer } of heard) {
        assert.ok(
          answer.status < 500 || isContractual(answer),
          `${exchange.method} ${exchange.path}: ${answer.status} ${answer.body}`,
        );
      }
      assert.deepEqual(
        t.telemetry.failures.map(({ error }) => String(error)),
        [],
      );
    },
  },
  {
    title: 'one key makes one session, and every session that is stored was acknowledged',
    check: ({ heard }, remains) => {
      const byKey = grouped(
        creates(heard),
        ({ exchange }) => `${partnerOf(exchange)} ${exchange.mode} ${exchange.headers['idempotency-key']}`,
      );
      for (const [key, made] of byKey)
        assert.equal(new Set(made.map(({ answer }) => rowOf(answer)?.['id'])).size, 1, key);
      const acknowledged = creates(heard).map(({ answer }) => rowOf(answer)?.['id']);
      assert.deepEqual(remains.map(({ session }) => session.id).toSorted(), [...new Set(acknowledged)].toSorted());
    },
  },
  {
    title: 'one request under one key has one answer, to the byte, however often it is sent',
    check: async ({ heard, ask, t }) => {
      const keyed = heard.filter(
        ({ exchange, answer }) =>
          exchange.headers['idempotency-key'] !== undefined && isKept(exchange) && answer.status < 300,
      );
      for (const [request, answers] of grouped(keyed, ({ exchange }) => identityOf(exchange))) {
        assert.equal(new Set(answers.map(({ answer }) => answer.body)).size, 1, request);
      }
      for (const { exchange, answer } of creates(heard)) {
        const again = await ask(exchange);
        const since = t.clock.now(exchange.mode) - Date.parse(String(rowOf(answer)?.['created_at']));
        if (since < DAY && again.status !== 401) assert.deepEqual(again, answer, 'a replay is byte-equal');
      }
    },
  },
  {
    title: 'events of a session are numbered without a hole, and at most one ends it',
    check: (_, remains) => {
      for (const { session, events } of remains) {
        assert.deepEqual(
          events.map(({ sequence }) => sequence),
          events.map((_event, index) => index + 1),
        );
        const ends = events
          .map(({ type }) => type.replace('gate_session.', ''))
          .filter((type) => TERMINAL.includes(type));
        assert.deepEqual(ends, session.status === 'open' ? [] : [session.status], session.id);
      }
    },
  },
  {
    title: 'the terms of a session never change',
    check: ({ heard }) => {
      const shown = heard.map(({ answer }) => rowOf(answer)).filter((row) => row?.['object'] === 'gate_session');
      for (const [id, rows] of grouped(shown, (row) => String(row?.['id']))) {
        assert.equal(new Set(rows.map((row) => JSON.stringify(termsOf(row ?? {})))).size, 1, id);
      }
    },
  },
  {
    title: 'money is kept exactly where a transaction says so',
    check: ({ heard }, remains) => {
      const calledBack = operationsCalledBack(heard);
      for (const payment of remains.flatMap(({ payments }) => payments)) {
        const { transaction, intent, effects } = payment;
        for (const kind of new Set(effects.map((effect) => effect.kind))) {
          assert.equal(
            effects.filter((effect) => effect.kind === kind).length,
            1,
            `${kind} of ${transaction.refid} happens once`,
          );
        }
        // The sandbox's ledger has no price for a payment that was declined at once, even if a later callback reports its success.
        const isUnpriced = effects.length === 0 && calledBack.has(intent.operationId);
        const wasRefunded = payment.refunds.length > 0 && transaction.status !== 'completed';
        if (transaction.status !== 'processing' && !isUnpriced && !wasRefunded && !wentBothWays(payment)) {
          assert.equal(
            keepsMoney(payment),
            transaction.status === 'completed',
            `${transaction.refid} is ${transaction.status}: ${JSON.stringify(effects)}`,
          );
        }
      }
    },
  },
  {
    title: 'refunds never exceed what was paid, and agree with those at the provider',
    check: (_, remains) => {
      for (const { transaction, refunds } of remains.flatMap(({ payments }) => payments)) {
        const known = transaction.refunds ?? [];
        for (const list of [refunds.filter(({ failure }) => failure === null), known.filter(isTaken)]) {
          const total = list.reduce((sum, { amount }) => decimal.add(sum, amount), '0');
          const paid = transaction.source.amount ?? '0';
          assert.ok(decimal.compare(total, paid) <= 0, `${total} of ${paid} went back: ${transaction.refid}`);
        }
        for (const { id, amount, status } of known.filter((refund) => refund.status !== 'pending')) {
          const asked = refunds.find(({ refundId }) => refundId === id);
          const stands = asked === undefined ? 'unknown' : asked.failure === null ? 'succeeded' : 'failed';
          assert.deepEqual([asked?.amount ?? amount, stands], [amount, status], transaction.refid);
        }
        for (const { refundId } of refunds)
          assert.ok(
            known.some(({ id }) => id === refundId),
            transaction.refid,
          );
      }
    },
  },
  {
    title: 'money kept completes its session once, or says that it settled after the close',
    check: (_, remains) => {
      for (const { session, payments } of remains) {
        const inTime = payments.filter(
          ({ transaction }) =>
            SETTLED.includes(transaction.status) && !transaction.settledAfterClose && transaction.completedAt !== null,
        );
        assert.deepEqual(
          inTime.map(({ transaction }) => transaction.refid),
          session.txRefid === null ? [] : [session.txRefid],
          session.id,
        );
        assert.equal(session.status === 'completed', session.txRefid !== null);
      }
    },
  },
  {
    title: 'no payment settles after the close unless its provider or a test said so',
    check: ({ heard }, remains) => {
      const calledBack = operationsCalledBack(heard);
      for (const { session, payments } of remains) {
        if (isSimulatedLate(heard, session.id)) continue;
        const late = payments.filter(
          ({ transaction, intent }) => transaction.settledAfterClose && !calledBack.has(intent.operationId),
        );
        assert.deepEqual(
          late.map(({ transaction }) => transaction.refid),
          [],
          session.id,
        );
      }
    },
  },
  {
    title: 'a walk of a list meets everything that was there before it, once',
    check: ({ walks }) => {
      for (const { begun, visited } of walks) {
        assert.equal(new Set(visited).size, visited.length, 'met twice');
        assert.deepEqual(
          begun.filter((id) => !visited.includes(id)),
          [],
          'never met',
        );
        assert.deepEqual(visited, visited.toSorted().reverse(), 'newest first');
      }
    },
  },
];

function grouped<Item>(items: readonly Item[], keyOf: (item: Item) => string): ReadonlyMap<string, readonly Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key) ?? [];
    group.push(item);
    groups.set(key, group);
  }
  return groups;
}

const DAY = 86_400_000;
const TERMINAL = ['completed', 'cancelled', 'expired'];
const SETTLED = ['completed', 'refunded', 'charged_back'];

function creates(heard: readonly Heard[]): readonly Heard[] {
  return heard.filter(
    ({ exchange, answer }) => answer.status === 201 && templateOf(exchange.path) === '/v1/gate_sessions',
  );
}

/** Whether the idempotency key of this request is honoured. */
function isKept({ method, path }: Heard['exchange']): boolean {
  const template = templateOf(path);
  const isHonoured = ROUTES.some(
    (route) => route.method === method && route.template === template && route.idempotency !== 'ignored',
  );
  return isHonoured || POOL_ROUTES.some((route) => route.method === method && route.template === template);
}

function identityOf({ mode, method, path, headers, body }: Heard['exchange']): string {
  return JSON.stringify([
    mode,
    method,
    path,
    headers['idempotency-key'],
    headers['authorization'],
    headers['x-embed-token'],
    Buffer.from(body ?? []).toString('hex'),
  ]);
}

function partnerOf({ headers }: Heard['exchange']): string {
  return /p1$/.test(headers['authorization'] ?? '') ? 'second' : 'first';
}

function termsOf(row: Members): readonly unknown[] {
  return [
    'flow',
    'amount',
    'currency',
    'target_token',
    'target_network',
    'wallet_address',
    'return_url',
    'cancel_url',
    'user_reference',
    'metadata',
  ].map((name) => row[name]);
}

function isTaken({ status }: { readonly status: string }): boolean {
  return status !== 'failed';
}

/** Whether the money was kept: the purchase was delivered, and nothing went back. A payment without either is still in progress. */
function keepsMoney({ effects }: Payment): boolean {
  const kinds = effects.map(({ kind }) => kind);
  const isSettled = kinds.includes('delivery') || kinds.includes('payout');
  return isSettled && !kinds.includes('refund') && !kinds.includes('chargeback');
}

/** Whether the provider reported "failed" and then "succeeded", and so returned and delivered the money: its ledger cannot be compared. */
function wentBothWays({ effects }: Payment): boolean {
  const back = effects.findIndex(({ kind }) => kind === 'refund');
  return back >= 0 && effects.slice(back).some(({ kind }) => kind === 'delivery' || kind === 'payout');
}

/** The ids of operations whose success was reported by a callback. */
function operationsCalledBack(heard: readonly Heard[]): ReadonlySet<unknown> {
  const callbacks = heard.filter(
    ({ exchange, answer }) => answer.status === 200 && exchange.path.startsWith('/v1/providers/'),
  );
  const updates = callbacks.map(({ exchange }) => rowOf({ body: Buffer.from(exchange.body ?? []).toString() }));
  return new Set(updates.filter((row) => row?.['outcome'] === 'succeeded').map((row) => row?.['operation_id']));
}

/** Whether simulations may have caused a late settlement: by the scenario, or with a success after the failure of another simulation. */
function isSimulatedLate(heard: readonly Heard[], sessionId: string): boolean {
  const scenarios = heard
    .filter(({ exchange }) => exchange.path.includes(`${sessionId}/simulate`))
    .map(({ exchange }) => Buffer.from(exchange.body ?? []).toString());
  const has = (scenario: string) => scenarios.some((body) => body.includes(scenario));
  return has('late_settlement') || (has('succeed') && scenarios.length > 1);
}
