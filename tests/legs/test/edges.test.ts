import { describe, expect, it } from 'vitest';
import { runEdges } from '../edges/run-edges.js';

/** `npm run test:kills` sets 1,000 for all runs together. */
const kills = Math.ceil(Number(process.env['GATE_TEST_KILLS'] ?? '60') / 10);
const seed = Number(process.env['GATE_TEST_SEED'] ?? '1');

describe('with chains that halt, dashboards, spam, old backups and killed processes', () => {
  it.each(['sqlite', 'postgres'] as const)(
    'the books on %s equal the chain and Stripe, and nothing is stuck without an alarm',
    { timeout: 300_000 + kills * 20_000 },
    async (store) => {
      const began = performance.now();
      const { operations, alarms, events, resolved, ...found } = await runEdges({ kills, seed, store });
      const states = operations.map(({ state }) => (state.kind === 'ended' ? state.as : state.kind));
      const ended = [...new Set(states)].map((state) => `${state} ${states.filter((one) => one === state).length}`);
      const seconds = Math.round((performance.now() - began) / 1_000);
      process.stdout.write(
        `${store}: ${operations.length} operations (${ended.join(', ')}), ${resolved.length} resolved by an operator (${resolved.slice(0, 5).join(', ')}), ${seconds} s\n` +
          `${JSON.stringify(events)}\n${JSON.stringify(alarms)}\n${JSON.stringify(found.outside)}\n`,
      );
      expect(operations.filter(({ state }) => state.kind !== 'ended')).toEqual([]);
      expect(found.owed).toEqual([]);
      expect(found.misdelivered).toEqual([]);
      expect(found.unnoticed).toEqual([]);
      for (const [ledger, world] of Object.values(found.outside)) expect(ledger).toBe(world);
      for (const difference of Object.values(found.differences)) expect(difference).toBe('0');
    },
  );
});
