import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call, eventually, readyServer, type ReadyServer } from './running-server.js';

const KEY = { authorization: 'Bearer sk_live_0000000000000000000000pool' };
const destAddress = `0x${'0'.repeat(38)}aa`;

const SEED = {
  partners: [
    {
      id: 'acme',
      name: 'Acme',
      live_enabled: true,
      entitlements: ['pools'],
      live: { secret_keys: ['sk_live_0000000000000000000000pool'] },
      pools: [
        {
          id: 'pool_usdc_eur',
          asset: 'USDC',
          network: 'base',
          currency: 'EUR',
          spreadBps: 30,
          feeBps: 20,
          balances: { USDC: '10000', EUR: '10000' },
        },
      ],
    },
  ],
};

describe.each(['fastify', 'express'])('the pools host on %s', (framework) => {
  const folder = mkdtempSync(join(tmpdir(), 'gate-pools-'));
  let server: ReadyServer;
  beforeAll(async () => {
    const file = join(folder, 'seed.json');
    writeFileSync(file, JSON.stringify(SEED));
    server = await readyServer({ GATE_HTTP: framework, GATE_SEED_FILE: file, GATE_RATE_LIMITS: 'off' });
  });
  afterAll(() => {
    server.process.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  });

  it('quotes, trades and settles for a partner of the seed file', async () => {
    const at = (path: string): string => `${server.origins.pools}/v1/pools${path}`;
    const asked = { side: 'on_ramp', asset: 'USDC', network: 'base', amount: '100.00', currency: 'EUR', destAddress };
    const quote = await call(at('/pool_usdc_eur/quote'), KEY, asked);
    expect([quote.status, quote.json.amountOut]).toEqual([201, '108.152173']);
    const body = { quoteId: quote.json.quoteId, destAddress };
    const keyed = { ...KEY, 'idempotency-key': crypto.randomUUID() };
    const trade = await call(at('/pool_usdc_eur/transact'), keyed, body);
    expect(trade.status).toBe(201);
    await eventually(async () => {
      const { json } = await call(at('/trades'), KEY);
      return JSON.stringify(json).includes('"status":"completed"') || null;
    });
    const { json: balance } = await call(at('/pool_usdc_eur/balance'), KEY);
    expect(balance.balances).toEqual([
      { currency: 'USDC', total: '9891.847827', available: '9891.847827', reserved: '0' },
      { currency: 'EUR', total: '9900', available: '9900', reserved: '0' },
    ]);
  });

  it('is live only', async () => {
    const { status, json } = await call(`${server.origins.pools}/v1/pools`, {
      authorization: 'Bearer sk_test_0000000000000000000000pool',
    });
    expect([status, json.code]).toEqual([403, 'key_mode_mismatch']);
  });
});
