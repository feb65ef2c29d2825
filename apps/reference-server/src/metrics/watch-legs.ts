import { MODES } from '@gateramp/core/domain';
import { listOperations, type LegsStore } from '@gateramp/provider-legs';
import { Gauge } from 'prom-client';
import type { OpenLegs } from '../legs/open-legs.js';
import type { Metrics } from './metrics.js';
import { shared } from './watched.js';

/** The maximum value of the gauge. */
const STUCK_MAX = 1_000;

type Labels = Readonly<Record<string, string>>;

/** Gauges of each leg, read on every scrape. Values that cannot be read are omitted. */
export function watchLegs({ registry }: Metrics, legs: OpenLegs, store: LegsStore): void {
  const networks = shared(() => legs.chain.gauges());
  type Network = NonNullable<Awaited<ReturnType<typeof networks>>>[number];

  const gauge = (name: string, help: string, labelNames: readonly string[], look: () => Promise<readonly Sample[]>) =>
    new Gauge({
      name,
      help,
      labelNames: [...labelNames],
      registers: [registry],
      async collect() {
        this.reset();
        for (const [labels, value] of await look().catch(() => [])) this.set(labels, value);
      },
    });
  const ofNetworks = (read: (network: Network) => readonly Sample[]) => async () =>
    ((await networks()) ?? []).flatMap(read);

  gauge(
    'gate_rpc_up',
    '1 if the RPC of the network answers.',
    ['network'],
    ofNetworks(({ network, isUp }) => [[{ network }, isUp ? 1 : 0]]),
  );
  gauge(
    'gate_wallet_balance',
    'Balance of the hot wallet, less what signed sends will take.',
    ['network', 'asset'],
    ofNetworks(({ network, balances }) =>
      Object.entries(balances).map(([asset, amount]): Sample => [{ network, asset }, Number(amount)]),
    ),
  );
  gauge(
    'gate_pending_sends',
    'Sends that are queued or not confirmed yet.',
    ['network'],
    ofNetworks(({ network, pendingSends }) => [[{ network }, pendingSends]]),
  );
  gauge(
    'gate_oldest_unconfirmed_send_seconds',
    'Age of the oldest signed send that is not confirmed, or 0.',
    ['network'],
    ofNetworks(({ network, oldestUnconfirmedAt: at }) => [[{ network }, at === null ? 0 : secondsSince(at)]]),
  );
  gauge('gate_price_age_seconds', 'Age of the price of a pair; absent without a price.', ['pair'], () =>
    priceAges(legs),
  );
  gauge('gate_operations_stuck', 'Payments that wait for an operator.', ['mode'], () =>
    Promise.all(
      MODES.map(async (mode): Promise<Sample> => {
        const stuck = await listOperations(store, { mode, isStuck: true, after: null, limit: STUCK_MAX });
        return [{ mode }, stuck.length];
      }),
    ),
  );
}

type Sample = readonly [labels: Labels, value: number];

async function priceAges({ exchange }: OpenLegs): Promise<readonly Sample[]> {
  const now = Date.now();
  const prices = await Promise.all(
    exchange.pairs.map(async (pair) => ({ pair, price: await exchange.price(pair, now).catch(() => null) })),
  );
  return prices.flatMap(({ pair: { asset, currency }, price }): readonly Sample[] =>
    price?.kind === 'price' ? [[{ pair: `${asset}/${currency}` }, Math.max(0, now - price.at) / 1_000]] : [],
  );
}

function secondsSince(at: number): number {
  return Math.max(0, Date.now() - at) / 1_000;
}
