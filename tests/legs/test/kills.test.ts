import { expect, test } from 'vitest';
import { killLegs } from '../kills/kill-legs.js';

/** `npm run test:kills` sets 1,000. */
const kills = Number(process.env['GATE_TEST_KILLS'] ?? '100');
const seed = Number(process.env['GATE_TEST_SEED'] ?? '1');

test(
  `${kills} kills of a process that runs provider legs double nothing, lose nothing, and leave everything at rest`,
  { timeout: 60_000 + kills * 5_000 },
  async () => {
    const began = performance.now();
    const { operations, entries, balances, outside, sends, reservations, payOuts, counts } = await killLegs({
      kills,
      seed,
    });
    const states = operations.map(({ state }) => (state.kind === 'ended' ? state.as : state.kind));
    const ended = [...new Set(states)].map((state) => `${state} ${states.filter((one) => one === state).length}`);
    const seconds = Math.round((performance.now() - began) / 1_000);
    process.stdout.write(`${JSON.stringify(counts)}; ${ended.join(', ')}; ${seconds} s\n`);

    expect(operations.filter(({ state }) => state.kind !== 'ended')).toEqual([]);
    expect(Object.keys(balances).filter((account) => account.startsWith('customer'))).toEqual([]);
    // The ledger agrees exactly with the processor and the chain.
    for (const [account, amount] of Object.entries(outside))
      expect([account, balances[account]]).toEqual([account, amount]);

    const bookedOut = entries.filter(({ id }) => id.endsWith(':out')).map(({ operationId }) => operationId);
    const sent = sends.filter(({ callId }) => callId.endsWith('-send')).map(({ callId }) => callId.slice(0, -5));
    const paidOut = payOuts.map((callId) => callId.slice(0, -'-pay_out'.length));
    expect([...sent, ...paidOut].toSorted()).toEqual(bookedOut.toSorted());
    const returns = entries.filter(({ id, postings }) => id.includes(':return:') && postings.some(isFromChain));
    expect(sends.length - sent.length).toBe(returns.length);
    expect(reservations).toEqual([]);
    // The run is only significant if it included each of these endings.
    for (const state of ['succeeded', 'failed', 'charged_back']) if (kills >= 100) expect(states).toContain(state);
  },
);

function isFromChain({ account, amount }: { readonly account: string; readonly amount: string }): boolean {
  return account.startsWith('chain:') && amount.startsWith('-') && Number(amount) !== 0;
}
