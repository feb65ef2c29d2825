import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Capabilities } from '@gateramp/core/domain';
import type { AttemptRequest } from '@gateramp/core/ports';
import { fakeChain, fixedPrices, fixedSpread, type ChainLeg, type ExchangeLeg } from '@gateramp/provider-legs';
import { providerOf, QUOTE_REQUEST, REFUND_ADDRESS, START, WALLET, world } from './world.js';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

const SCOPE = { partnerId: 'partner1', mode: 'test' } as const;
const NETWORKS = ['base', 'polygon'] as const;
const ASSETS = ['USDC', 'USDT', 'DAI'] as const;
const FLOWS = ['on_ramp', 'off_ramp', 'swap'] as const;
const CAUSES = {
  'the wallet cannot send it': 'target',
  'the wallet holds none of it': 'target',
  'its deposits are not accepted': 'source',
  'its price is missing': 'both',
  'its price does not arrive': 'both',
  'its network does not answer': 'both',
} as const;

type Cause = keyof typeof CAUSES;
type Network = (typeof NETWORKS)[number];
type Asset = (typeof ASSETS)[number];

interface Trouble {
  readonly cause: Cause;
  readonly network: Network;
  readonly asset: Asset;
}

const never = <Answer>() => new Promise<Answer>(() => {});

/** Two tokens on two networks, with one trouble. */
function troubled({ cause, network, asset }: Trouble) {
  const w = world();
  const networks = NETWORKS.map((name) => ({
    network: name,
    displayName: name,
    addressFormat: 'evm',
    confirmations: 2,
    txUrl: null,
    assets: ASSETS.map((code) => ({ asset: code, decimals: 6, networkFee: { EUR: '0.05' } })),
  }));
  const chain: ChainLeg = {
    ...fakeChain({ networks }),
    async unavailable(on, use) {
      if (on === network && cause === 'its network does not answer') return never();
      const isMet = on === network && use.asset === asset;
      if (isMet && cause === 'the wallet cannot send it' && use.as === 'send') return 'paused by its issuer';
      return isMet && cause === 'its deposits are not accepted' && use.as === 'deposit' ? 'not watched' : null;
    },
    async deliverable(on, token) {
      if (on === network && cause === 'its network does not answer') return never();
      return on === network && token === asset && cause === 'the wallet holds none of it' ? '0' : null;
    },
  };
  const market = fixedSpread({
    pairs: ASSETS.map((code) => ({ asset: code, currency: 'EUR' })),
    sources: [fixedPrices({ 'USDC/EUR': '0.92', 'USDT/EUR': '0.92', 'DAI/EUR': '0.92' })],
    spreadBps: 50,
  });
  const exchange: ExchangeLeg = {
    ...market,
    async unavailable(pair) {
      if (pair.asset !== asset) return market.unavailable(pair);
      if (cause === 'its price does not arrive') return never();
      return cause === 'its price is missing' ? 'no price' : market.unavailable(pair);
    },
    async price(pair, now) {
      if (pair.asset !== asset) return market.price(pair, now);
      if (cause === 'its price does not arrive') return never();
      return cause === 'its price is missing' ? { kind: 'unavailable', reason: 'no price' } : market.price(pair, now);
    },
  };
  return providerOf({ ...w, chain, exchange }, () => undefined);
}

/** Whether the trouble closes this use of the asset. */
function isClosed({ cause, network, asset }: Trouble, side: 'source' | 'target', on: Network, code: Asset): boolean {
  if (CAUSES[cause] !== 'both' && CAUSES[cause] !== side) return false;
  const isNetwork = cause === 'its network does not answer' || !cause.startsWith('its price') ? on === network : true;
  return isNetwork && (cause === 'its network does not answer' || code === asset);
}

/** Waits for the answers, some of which come only with the time limit. */
async function answered<Answer>(asked: Promise<Answer>): Promise<Answer> {
  await vi.advanceTimersByTimeAsync(10_000);
  return asked;
}

const attempt = (terms: Partial<AttemptRequest>): AttemptRequest => ({
  ...QUOTE_REQUEST,
  scope: SCOPE,
  targetToken: null,
  targetNetwork: null,
  walletAddress: WALLET,
  refundAddress: REFUND_ADDRESS,
  now: START,
  ...terms,
});

const TROUBLES = Object.keys(CAUSES).flatMap((cause) =>
  NETWORKS.flatMap((network) => ASSETS.map((asset) => ({ cause: cause as Cause, network, asset }))),
);

test.each(TROUBLES)('$asset on $network: $cause closes what needs it, and nothing else', async (trouble) => {
  const provider = troubled(trouble);
  const served = await answered(provider.capabilities(SCOPE));
  expect(served.flows).toEqual(FLOWS);
  for (const flow of FLOWS)
    for (const network of NETWORKS)
      for (const asset of ASSETS)
        for (const side of flow === 'swap'
          ? (['source', 'target'] as const)
          : ([flow === 'on_ramp' ? 'target' : 'source'] as const)) {
          const expected = isClosed(trouble, side, network, asset);
          const told = `${flow} with ${asset} on ${network} as ${side}`;
          expect(isListed(served, { flow, side, network, asset }), told).toBe(!expected);
          const other = side === 'source' ? 'target' : 'source';
          const named = { [`${side}Token`]: asset, [`${side}Network`]: network };
          const request = attempt({ flow, ...named });
          const resolved = await answered(provider.resolve(request));
          if (expected) {
            expect(resolved, told).toMatchObject({ kind: 'refused', code: 'service_unavailable' });
            expect(resolved.kind === 'refused' && resolved.message).toContain(asset);
          } else expect(resolved, `${told}, ${other} open`).toMatchObject({ kind: 'resolved', terms: named });
          const quoted = await answered(provider.quote(request));
          expect(quoted, told).toMatchObject(expected ? { code: 'service_unavailable' } : { kind: 'quotes' });
        }
});

test.each(TROUBLES)(
  '$asset on $network: $cause, and an order that names no token gets another one',
  async (trouble) => {
    const provider = troubled(trouble);
    for (const flow of FLOWS) {
      const resolved = await answered(provider.resolve(attempt({ flow })));
      if (resolved.kind !== 'resolved') throw new Error(resolved.message);
      const { sourceToken, sourceNetwork, targetToken, targetNetwork } = resolved.terms;
      for (const [side, token, network] of [
        ['source', sourceToken, sourceNetwork],
        ['target', targetToken, targetNetwork],
      ] as const) {
        const asset = ASSETS.find((one) => one === token);
        const on = NETWORKS.find((one) => one === network);
        if (asset !== undefined && on !== undefined) expect(isClosed(trouble, side, on, asset)).toBe(false);
      }
    }
  },
);

function isListed(
  { assets, networks, unavailable = [] }: Capabilities,
  {
    flow,
    side,
    network,
    asset,
  }: { flow: (typeof FLOWS)[number]; side: 'source' | 'target'; network: string; asset: string },
): boolean {
  const row = assets.find(({ code }) => code === asset);
  return (
    row?.flows.includes(flow) === true &&
    row.networks.includes(network) &&
    networks.some(({ code, flows }) => code === network && flows?.includes(flow)) &&
    !unavailable.some((one) => one.flow === flow && one.side === side && one.network === network && one.asset === asset)
  );
}
