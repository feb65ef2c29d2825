import { describe, expect, it } from 'vitest';
import { chainLegLaws, describeLaws, type ChainLegSubject } from '@gateramp/conformance';
import { fakeChain, type FakeChain } from '@gateramp/provider-legs';
import { START } from './world.js';

const BLOCK_MS = 1_000;
const TOKEN = { network: 'base', asset: 'USDC' } as const;

/** The fake chain as the laws test it; `change` plants a fault. */
function subject(change: (chain: FakeChain) => Partial<FakeChain> = () => ({})): ChainLegSubject {
  return {
    create: async () => {
      const chain = fakeChain({ blockMs: BLOCK_MS });
      chain.stock.set('USDC@base', '300');
      let now = START;
      let addresses = 0;
      const leg = { ...chain, ...change(chain) };
      return {
        ...TOKEN,
        leg,
        // Another process on the same chain: both objects share its state.
        other: { ...leg },
        mode: 'test',
        now: () => now,
        id: 'op1',
        freshAddress: () => `0x${String((addresses += 1)).padStart(40, 'a')}`,
        pass: async (blocks) => void (now += blocks * BLOCK_MS),
        pay: async (to, amount) => chain.pay(to, { ...TOKEN, amount }, now),
        reorganize: async (blocks) => chain.reorganize(blocks, now),
        received: async (to) => chain.received(to, now).map(({ amount }) => amount),
        close: async () => {},
      };
    },
  };
}

describeLaws(chainLegLaws, subject(), { describe, it });

describe('the laws of reservations find', () => {
  const faults: Readonly<Record<string, (chain: FakeChain) => Partial<FakeChain>>> = {
    'a leg that reserves nothing': () => ({ reserve: async () => ({ kind: 'reserved' }) }),
    'a leg that looks at the stock and reserves only later': (chain) => ({
      reserve: async (order) => {
        const left = Number(await chain.deliverable(order.network, order.asset));
        await Promise.resolve();
        chain.stock.set('USDC@base', '1000000');
        const result = await chain.reserve(order);
        chain.stock.set('USDC@base', '300');
        return left < Number(order.amount)
          ? { kind: 'refused', failure: { code: 'limit_exceeded', message: 'Too much.', retryable: true } }
          : result;
      },
    }),
    'a leg that reserves the same id twice': (chain) => {
      let calls = 0;
      return { reserve: (order) => chain.reserve({ ...order, callId: `${order.callId}_${(calls += 1)}` }) };
    },
    'a leg that counts a reservation and its send': (chain) => ({
      reserve: (order) => chain.reserve({ ...order, callId: `${order.callId}_held` }),
    }),
    'a leg that never releases': () => ({ release: async () => undefined }),
    'a leg whose released ids stay open': (chain) => {
      let calls = 0;
      const idOf = (callId: string) => `${callId}_${calls}`;
      return {
        reserve: (order) => chain.reserve({ ...order, callId: idOf(order.callId) }),
        release: async (call) => {
          await chain.release({ ...call, callId: idOf(call.callId) });
          calls += 1;
        },
      };
    },
    'a leg that reserves what it could never send': (chain) => ({
      reserve: async (order) => {
        const result = await chain.reserve(order);
        return result.kind === 'refused' && result.failure.code !== 'limit_exceeded' ? { kind: 'reserved' } : result;
      },
    }),
  };
  it.each(Object.keys(faults))('%s', async (name) => {
    const broken = await Promise.all(
      chainLegLaws.map(({ run }) =>
        run(subject(faults[name])).then(
          () => false,
          () => true,
        ),
      ),
    );
    expect(broken).toContain(true);
  });
});
