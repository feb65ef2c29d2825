/**
 * A process that runs the provider legs of a platform with a real chain node and a fake Stripe, until it is killed. The time of the
 * platform comes from the parent process with every tick.
 */
import { postgresLegsStore } from '@gateramp/adapters-store-postgres';
import { openSqlite, sqliteLegsStore } from '@gateramp/adapters-store-sqlite';
import { stripeFiat } from '@gateramp/adapters-fiat-stripe';
import { evmChain } from '@gateramp/adapters-chain-evm';
import { fixedPrices, fixedSpread, legs, type LegsStore } from '@gateramp/provider-legs';
import pg from 'pg';
import Stripe from 'stripe';
import { http } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import type { FromProcess, Open, StorePlace, Tick, ToProcess } from './protocol.js';
import { NETWORK, PUBLIC_KEY, SECRET_KEY, WALLET_LIMITS, WEBHOOK_SECRET } from './terms.js';

const say = (message: FromProcess) => void process.send?.(message);
/** A call with an unknown result is repeated later. */
const tried = (work: Promise<unknown>): Promise<boolean> =>
  work.then(
    () => true,
    () => false,
  );

let platform: ReturnType<typeof open> | null = null;
process.on('message', (message: ToProcess) => {
  if (message.kind === 'open') {
    platform = open(message);
    return say({ kind: 'ready' });
  }
  void platform?.tick(message).then(() => say({ kind: 'done' }));
});

function open(given: Open) {
  const clock = { now: given.now };
  const store = storeAt(given.store);
  const alarm = (name: string, fields: Readonly<Record<string, string | number>>) =>
    say({ kind: 'alarm', name, fields });
  const chain = evmChain({
    networks: [
      {
        ...NETWORK,
        tokens: [{ asset: 'USDC', address: given.token, decimals: 6 }],
        transport: http(given.rpcUrl, { retryCount: 0 }),
        reconcileTransport: http(given.reconcileUrl, { retryCount: 0 }),
      },
    ],
    wallet: { account: privateKeyToAccount(given.walletKey), ...WALLET_LIMITS },
    deposits: { xpub: given.xpub },
    store,
    alarm,
    now: () => clock.now,
  });
  const stripe = new Stripe(SECRET_KEY, {
    host: '127.0.0.1',
    port: given.stripePort,
    protocol: 'http',
    maxNetworkRetries: 0,
    telemetry: false,
  });
  const limits = { minAmount: '1.00', maxAmount: '10000.00', feeBps: 0, feeFixed: '0.00' };
  const provider = legs({
    modes: ['test'],
    store,
    chain,
    fiat: stripeFiat({
      stripe,
      publicKey: PUBLIC_KEY,
      webhookSecret: WEBHOOK_SECRET,
      store,
      methods: [{ ...limits, type: 'card', currency: 'EUR' }],
    }),
    exchange: fixedSpread({
      pairs: ['USDC', 'ETH'].map((asset) => ({ asset, currency: 'EUR' })),
      sources: [fixedPrices({ 'USDC/EUR': '0.92', 'ETH/EUR': '3000' })],
      spreadBps: 50,
    }),
    screening: null,
    identity: null,
    names: { countries: [{ code: 'DE', name: 'Germany' }], currencies: { EUR: 'Euro' }, assets: {} },
    alarm,
  });

  async function start(order: Tick['orders'][number]): Promise<void> {
    const answer = await provider.start(order);
    say({ kind: 'started', operationId: order.operationId });
    if ('kind' in answer || answer.outcome.kind !== 'requires_action') return;
    const { nextAction } = answer.outcome;
    if (nextAction.type !== 'crypto_deposit') return;
    const { address, amount } = nextAction;
    // The EVM leg gives addresses in this form.
    say({ kind: 'deposit', asked: { operationId: order.operationId, address: address as `0x${string}`, amount } });
  }

  return {
    async tick({ now, orders, callbacks, cancel, resumesWallet }: Tick): Promise<void> {
      clock.now = now;
      for (const { id, callback } of callbacks)
        if (await tried(provider.parseCallback({ ...callback, modeNow: now }))) say({ kind: 'recorded', id });
      for (const operationId of cancel) await tried(provider.cancel({ operationId, mode: 'test', now }));
      if (resumesWallet) await tried(chain.resumeWallet(NETWORK.network, 'An operator has looked at the nonces.'));
      // Payments start while the background work runs.
      await Promise.all([
        tried(chain.work()),
        tried(provider.work('test', now)),
        tried(provider.bookStatement({ nowOf: () => now })),
        ...orders.map((order) => tried(start(order))),
      ]);
    },
  };
}

function storeAt(place: StorePlace): LegsStore {
  if (place.kind === 'sqlite') return sqliteLegsStore(openSqlite(place.file));
  const pool = new pg.Pool({ connectionString: place.url, max: 8 });
  pool.on('error', () => undefined);
  return postgresLegsStore(pool);
}
