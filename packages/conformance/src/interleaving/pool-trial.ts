import assert from 'node:assert/strict';
import { sandboxPools } from '@gateramp/adapters-provider-sandbox';
import type { ErrorCode } from '@gateramp/core';
import { decimal, SECOND } from '@gateramp/core/domain';
import type { Store } from '@gateramp/core/ports';
import { createTestGate, type TestGate } from '@gateramp/testing';
import { parkedPorts } from './parked-ports.js';
import { chanceFrom, Turns, type Actor } from './turns.js';

/** Quotes of one pool that several clients execute concurrently, in an order that the seed alone decides. */
export interface PoolTrial {
  /** The number of trades that the pool's balance covers. */
  readonly funds: number;
  /** By quote: whether the provider will execute it. */
  readonly quotes: readonly boolean[];
  readonly roles: readonly PoolRole[];
  readonly seed: number;
}

export interface PoolRole {
  readonly part: 'client' | 'worker' | 'worker after the leases have lapsed' | 'crash';
  readonly process: 'A' | 'B';
  readonly hesitation: number;
  readonly quote: number;
  readonly key: number;
}

const POOL = 'pool_usdc_eur';
const [AMOUNT_IN, AMOUNT_OUT] = ['100', '108.152173'];
const [GOOD, BLOCKED] = [`0x${'0'.repeat(38)}aa`, `0x${'0'.repeat(32)}dead0001`];

interface Quoted {
  readonly quoteId: string;
  readonly destAddress: string;
}

interface Answered {
  readonly quoteId: string;
  readonly transactId: string | null;
  readonly refused: ErrorCode | null;
}

/** Runs one trial and checks its result; the error of a failed trial contains its trace. */
export async function playPoolTrial(store: Store, trial: PoolTrial): Promise<void> {
  const made = await createTestGate({ ports: { store }, seed: `pools/${trial.seed}` });
  const still = made.restart({ pools: sandboxPools({ ledger: made.ledger }) });
  const turns = new Turns(chanceFrom(trial.seed));
  const process = (name: 'A' | 'B'): TestGate => still.restart(parkedPorts(turns, name, still.ports));
  const processes = { A: process('A'), B: process('B') };
  const quotes = await openPool(still, trial);
  const answers: Answered[] = [];
  const actors = trial.roles.map((role, index): Actor => {
    const t = processes[role.process];
    return {
      name: `${role.part} ${index}`,
      process: role.part === 'crash' ? 'fate' : role.process,
      async act() {
        for (let turn = 0; turn < role.hesitation; turn += 1) await turns.turn('hesitates');
        if (role.part === 'crash') turns.kill('A');
        else if (role.part === 'client') answers.push(await execute(t, quotes, role));
        else await work(t, turns, role.part);
      },
    };
  });
  try {
    await turns.run(actors);
    await expectBooksRight(still, trial, quotes, answers);
  } catch (error) {
    throw new Error(`${String(error)}\n${turns.story.join('\n')}`, { cause: error });
  }
}

async function openPool(still: TestGate, { funds, quotes }: PoolTrial): Promise<readonly Quoted[]> {
  const { admin, pools } = still.gate;
  const partnerId = still.partner.id;
  const terms = { id: POOL, asset: 'USDC', network: 'base', currency: 'EUR', spreadBps: 30, feeBps: 20 };
  await admin.savePool(partnerId, terms);
  for (const [currency, amount] of Object.entries(opening(funds)))
    await admin.movePoolBalance(partnerId, { poolId: POOL, currency, amount, reference: 'opening' });
  return Promise.all(
    quotes.map(async (isGood) => {
      const destAddress = isGood ? GOOD : BLOCKED;
      const request = { side: 'on_ramp', asset: 'USDC', network: 'base', currency: 'EUR', destAddress } as const;
      const quote = await pools.quote(callerOf(still), POOL, { ...request, amount: AMOUNT_IN });
      if (quote.isErr()) throw new Error(`No quote: ${quote.error.code}`);
      assert.equal(quote.value.amountOut, AMOUNT_OUT);
      return { quoteId: quote.value.quoteId, destAddress };
    }),
  );
}

function opening(funds: number): Readonly<Record<'EUR' | 'USDC', string>> {
  return { EUR: decimal.multiply(AMOUNT_IN, String(funds)), USDC: decimal.multiply(AMOUNT_OUT, String(funds)) };
}

function callerOf(t: TestGate) {
  return { partnerId: t.partner.id, mode: 'live' as const };
}

async function execute(t: TestGate, quotes: readonly Quoted[], { quote, key }: PoolRole): Promise<Answered> {
  const quoted = quotes[quote % quotes.length];
  if (quoted === undefined) throw new Error('A trial has quotes.');
  const done = await t.gate.pools.transact(callerOf(t), POOL, quoted, { idempotencyKey: `key-${key}` });
  return {
    quoteId: quoted.quoteId,
    transactId: done.isOk() ? done.value.transactId : null,
    refused: done.isErr() ? done.error.code : null,
  };
}

async function work(t: TestGate, turns: Turns, part: PoolRole['part']): Promise<void> {
  if (part !== 'worker') {
    await turns.turn('lets time pass');
    // Long enough for leases and settlements, and for the quotes to expire.
    await t.clock.advanceTo(t.clock.now('live') + 31 * SECOND);
  }
  await t.gate.runDue();
}

const MAY_REFUSE: readonly unknown[] = [
  'insufficient_balance',
  'idempotency_key_mismatch',
  'operation_in_progress',
  'quote_expired',
];

/** No quote was executed twice, nothing is reserved or missing, and the provider has executed exactly the recorded trades. */
async function expectBooksRight(
  still: TestGate,
  { funds, quotes: wanted }: PoolTrial,
  quotes: readonly Quoted[],
  answers: readonly Answered[],
): Promise<void> {
  for (let round = 0; round < 3; round += 1) {
    await still.clock.advanceTo(still.clock.now('live') + 40 * SECOND);
    await still.gate.runDue();
  }
  const { data: trades } = valueOf(await still.gate.pools.trades(callerOf(still)));
  const { balances } = valueOf(await still.gate.pools.balance(callerOf(still), POOL));
  for (const { quoteId, destAddress } of quotes) {
    const own = trades.filter((trade) => trade.quoteId === quoteId);
    assert.ok(own.length <= 1, `a quote was executed ${own.length} times`);
    const [trade] = own;
    if (trade !== undefined) assert.equal(trade.status, destAddress === GOOD ? 'completed' : 'failed');
    for (const answer of answers.filter((one) => one.quoteId === quoteId && one.refused === null))
      assert.equal(answer.transactId, trade?.transactId, 'an answer names a trade that is not there');
  }
  const completed = trades.filter(({ status }) => status === 'completed').length;
  const left = opening(funds - completed);
  for (const { currency, available, reserved } of balances) {
    const expected = left[currency === 'EUR' ? 'EUR' : 'USDC'];
    assert.deepEqual([reserved, available], ['0', decimal.normalise(expected)], `of ${currency}`);
    assert.ok(!available.startsWith('-'), 'a balance is overdrawn');
  }
  for (const trade of trades) {
    const moved = await still.ledger.effects(`op_${trade.transactId}`, still.clock.now('live'));
    assert.deepEqual(
      moved.map(({ kind, amount }) => `${kind} ${amount}`),
      trade.status === 'completed' ? [`charge ${AMOUNT_IN}`, `delivery ${AMOUNT_OUT}`] : [],
    );
  }
  for (const { refused } of answers) {
    if (refused === null) continue;
    assert.ok(MAY_REFUSE.includes(refused), `refused with ${refused}`);
    assert.ok(refused !== 'insufficient_balance' || funds < wanted.length, 'refused money that there was');
  }
  assert.equal(await still.store.nextDue('live'), null, 'a settlement stays under way');
}

function valueOf<Value>(result: { isOk(): boolean } & ({ value: Value } | { error: { code: string } })): Value {
  if ('value' in result) return result.value;
  throw new Error(`Refused: ${result.error.code}`);
}
