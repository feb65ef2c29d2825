import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { postgresLegsStore, postgresStore } from '@gateramp/adapters-store-postgres';
import { fixedSpread, transferDocument } from '@gateramp/provider-legs';
import { TEST_PARTNER } from '@gateramp/testing';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { deposit, sell, world } from '../../../packages/provider-legs/test/world.js';
import { SCHEMA } from '../src/database/schema.js';
import { createScratchDatabase, type ScratchDatabase } from '../../../tests/services/scratch-database.js';
import { MASTER_KEY } from './master-keys.js';
import { runGate, type Ran } from './run-gate.js';
import { OFFLINE_LEGS } from './stuck-legs.js';

const DEPOSIT_HASH = `0x${'ab'.repeat(32)}`;

/** Each command is a separate process. */
describe('the commands for provider legs', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gate-legs-'));
  let database: ScratchDatabase;
  let settings: Readonly<Record<string, string>>;
  const gate = (command: string): Promise<Ran> => runGate(command, settings);

  beforeAll(async () => {
    database = await createScratchDatabase();
    const file = join(folder, 'legs.json');
    writeFileSync(file, JSON.stringify(OFFLINE_LEGS));
    settings = {
      DATABASE_URL: database.url,
      GATE_MASTER_KEY: MASTER_KEY,
      GATE_LEGS_FILE: file,
      GATE_WALLET_KEY: `0x${'1'.repeat(64)}`,
    };
    await gate('migrate');
    await makeStuckSale(database.url);
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true });
    await database.drop();
  });

  it('let a partner use live mode if the legs serve it, without the sandbox provider', async () => {
    const { out: id } = await gate('partners create --name Acme --origin https://shop.example');
    expect(await gate(`partners update ${id} --live on`)).toMatchObject({
      code: 0,
      err: expect.stringContaining('The settings of this shell name no provider of live mode'),
    });
    const incomplete = await runGate(`partners update ${id} --live on`, { ...settings, GATE_WALLET_KEY: '' });
    expect(incomplete.code).toBe(0);
    expect(incomplete.err).toMatch(
      /^The settings of this shell are incomplete.*\n {2}GATE_LEGS_FILE: .*GATE_WALLET_KEY/,
    );
    const file = join(folder, 'live-legs.json');
    writeFileSync(file, JSON.stringify({ ...OFFLINE_LEGS, modes: ['live'] }));
    const live = await runGate(`partners update ${id} --live on`, { ...settings, GATE_LEGS_FILE: file });
    expect(live).toMatchObject({ code: 0, err: '' });
    expect(JSON.parse(live.out)).toMatchObject({ id, live_enabled: true });
  });

  it('print a trial balance in which debits equal credits, also as of a day', async () => {
    const json = async (command: string) =>
      JSON.parse((await gate(`ledger trial-balance --json${command}`)).out) as Books;
    const { rows, totals } = await json('');
    expect(rows).toContainEqual({ account: 'chain:base', currency: 'ETH@base', debit: '0.00005', credit: '0' });
    expect(totals.map(({ currency }) => currency)).toEqual(['ETH@base', 'EUR', 'USDC@base']);
    for (const { debit, credit } of totals) expect([debit, credit]).toEqual([debit, debit]);
    expect(await json(' --at 2027-01-01')).toEqual({ rows: [], totals: [] });
    expect((await json(' --at 2030-01-01')).rows).toEqual(rows);
    const table = (await gate('ledger trial-balance')).out;
    expect(table).toMatch(/^ACCOUNT +CURRENCY +DEBIT +CREDIT$/m);
    expect(table).toMatch(/^total +EUR /m);
  });

  it('export every posting of a period as CSV or NDJSON', async () => {
    const csv = (await gate('ledger export --from 2027-01-01')).out.split('\n');
    expect(csv[0]).toBe('entry,operation,at,account,currency,amount');
    expect(csv).toContainEqual(
      expect.stringMatching(/^op1:convert,op1,2027-01-01T00:\d\d:\d\d\.\d{3}Z,customer,EUR,-100$/),
    );
    const entries = (await gate('ledger export --format ndjson')).out
      .split('\n')
      .map((line) => JSON.parse(line) as Exported);
    expect(entries.flatMap(({ postings }) => postings)).toHaveLength(csv.length - 1);
    expect(entries.map(({ at }) => at)).toEqual(entries.map(({ at }) => at).toSorted());
    expect((await gate('ledger export --to 2027-01-01')).out).toBe('entry,operation,at,account,currency,amount');
    expect(await gate('ledger export --from yesterday')).toMatchObject({
      code: 2,
      err: expect.stringContaining('Pass'),
    });
  });

  it('compare the ledger with the chain, and fail with the difference', async () => {
    const reconciled = await gate('ledger reconcile');
    expect(reconciled).toMatchObject({ code: 1, err: 'The ledger differs by 110.112239 USDC@base, 0.00005 ETH@base.' });
    expect(reconciled.out).toMatch(/^chain:base +USDC@base +difference +\d/m);
    const { positions } = JSON.parse((await gate('ledger reconcile --json')).out) as { readonly positions: unknown };
    expect(positions).toContainEqual(
      expect.objectContaining({
        account: 'chain:base',
        currency: 'ETH@base',
        ledger: '0.00005',
        difference: '0.00005',
      }),
    );
  });

  it('list a stuck operation, show what the buyer is owed, and end it once', async () => {
    const listed = JSON.parse((await gate('operations list --stuck --json')).out) as unknown;
    expect(listed).toMatchObject([
      { id: 'op1', mode: 'test', flow: 'off_ramp', status: 'stuck', step: 'return', reason: 'limit' },
    ]);
    const shown = await gate('operations show op1');
    expect(shown.out).toContain('Owed        110.112239 USDC@base');
    expect(shown.out).toContain('Return      110.057754 USDC@base, due, 0.054485 kept as a fee');
    expect(shown.out).toContain('Return      0 ETH@base, kept, 0.00005 kept as a fee');
    expect(shown.out).toContain('op1:convert');

    const resolve = 'operations resolve op1 --as refunded --reason ticket-42';
    const planned = await gate(`${resolve} --dry-run`);
    expect(planned).toMatchObject({ code: 0, err: 'Nothing was changed.' });
    expect(planned.out).toContain('chain:base  -110.112239 USDC@base');
    expect(JSON.parse((await gate(`${resolve} --dry-run --json`)).out)).toMatchObject({
      id: 'op1',
      is_dry_run: true,
      postings: expect.arrayContaining([{ account: 'chain:base', amount: '-110.112239', currency: 'USDC@base' }]),
    });
    expect(await gate(resolve)).toMatchObject({ code: 2, err: expect.stringContaining('Pass --yes to confirm.') });
    expect((await gate(`${resolve} --yes`)).out).toContain('op1 has ended as refunded.');
    expect(await gate(`${resolve} --yes`)).toMatchObject({
      code: 1,
      err: 'Operation op1 is refunded; only a stuck one can be resolved.',
    });
    expect((await gate('operations list --stuck --json')).out).toBe('[]');
    expect((await gate('operations show op1')).out).toContain('Resolved    as refunded');
    expect(await gate('operations show op2')).toMatchObject({
      code: 1,
      err: expect.stringContaining('No such operation'),
    });
  });

  it('list trusted prices and confirm one that jumped, with an audit entry', async () => {
    const pool = new pg.Pool({ connectionString: database.url });
    onTestFinished(() => pool.end());
    const store = postgresLegsStore(pool, { schema: SCHEMA });
    const leg = fixedSpread({
      pairs: [{ asset: 'USDC', currency: 'EUR' }],
      sources: [async () => ({ price, at: Date.now() })],
      spreadBps: 0,
      trust: { store },
    });
    let price = '0.92';
    for (const next of ['0.92', '0.70']) {
      price = next;
      await leg.price({ asset: 'USDC', currency: 'EUR' }, Date.now());
    }
    const refused = { pair: 'USDC/EUR', price: '0.92', refused: { price: '0.70' } };
    expect(JSON.parse((await gate('prices list --json')).out)).toMatchObject([refused]);
    const command = 'prices confirm USDC/EUR --reason ticket-43';
    expect(await gate(`${command} --dry-run`)).toMatchObject({ code: 0, err: 'Nothing was changed.' });
    expect(await gate(command)).toMatchObject({ code: 2, err: expect.stringContaining('Pass --yes to confirm.') });
    expect(JSON.parse((await gate(`${command} --yes --json`)).out)).toMatchObject({
      pair: 'USDC/EUR',
      price: '0.70',
      refused: null,
      is_dry_run: false,
    });
    expect(await gate(`${command} --yes`)).toMatchObject({
      code: 1,
      err: expect.stringContaining('nothing to confirm'),
    });
    expect(await gate('prices confirm ETH/EUR --reason x --yes')).toMatchObject({ code: 1 });
    const audit = JSON.parse((await gate('audit list --json')).out) as readonly { readonly action: string }[];
    expect(audit.find(({ action }) => action === 'price.confirm')).toMatchObject({
      target: { type: 'price', id: 'USDC/EUR' },
      reason: 'ticket-43',
    });
  });

  it('`gate show` finds the operation of a deposit by its hash', async () => {
    const shown = JSON.parse(
      (await gate(`show ${DEPOSIT_HASH.toUpperCase().replace('0X', '0x')} --json`)).out,
    ) as unknown;
    expect(shown).toMatchObject({
      kind: 'operation',
      transfer: 'deposit',
      partner: { id: 'partner1' },
      operations: [{ id: 'op1' }],
    });
    expect((await gate(`show ${DEPOSIT_HASH}`)).out).toContain(`operation, deposit ${DEPOSIT_HASH} of `);
  });

  it('list the wallet, and pause it while the network does not answer', async () => {
    const entries = async () =>
      (JSON.parse((await gate('audit list --json')).out) as readonly Record<string, unknown>[])
        .filter(({ action }) => /^(wallet|operation)/.test(String(action)))
        .map(({ action, target, reason, actor }) => ({ action, target, reason, actor }));
    const wallets = async () => JSON.parse((await gate('wallets list --json')).out) as unknown;
    expect(await wallets()).toMatchObject([{ network: 'base', status: 'active', next_nonce: null, balances: null }]);
    expect((await gate('wallets list')).err).toBe('No balances: the RPC of base does not answer.');
    expect(await gate('wallets pause base --reason drill --dry-run')).toMatchObject({
      out: 'The wallet on base is active.',
      err: 'Nothing was changed.',
    });
    expect(await wallets()).toMatchObject([{ status: 'active' }]);
    expect((await gate('wallets pause base --reason drill --actor ada')).out).toBe('The wallet on base is paused.');
    expect(await wallets()).toMatchObject([{ network: 'base', status: 'paused', paused_because: 'drill' }]);
    expect(await gate('wallets resume base --reason over')).toMatchObject({
      code: 1,
      err: 'base does not answer, so the next nonce of the wallet cannot be read. The wallet is still paused.',
    });
    expect(JSON.parse((await gate('wallets history base --json')).out)).toMatchObject([
      { to: 'paused', by: 'operator', reason: 'drill' },
    ]);
    expect(await entries()).toEqual([
      {
        action: 'wallet.pause',
        target: { type: 'wallet', id: 'base' },
        reason: 'drill',
        actor: { type: 'cli', id: 'ada', access_id: null, vouched_by: null },
      },
      expect.objectContaining({ action: 'operation.resolve', target: { type: 'operation', id: 'op1' } }),
    ]);
    expect((await gate('audit verify')).out).toContain('The audit trail is intact');
    expect(await gate('wallets pause moon --reason drill')).toMatchObject({
      code: 1,
      err: 'No such network: "moon". GATE_LEGS_FILE has base.',
    });
    expect(await runGate('wallets list', { ...settings, GATE_LEGS_FILE: '' })).toMatchObject({
      code: 1,
      err: expect.stringContaining('GATE_LEGS_FILE: is not set.'),
    });
  });
});

interface Books {
  readonly rows: readonly unknown[];
  readonly totals: readonly { readonly currency: string; readonly debit: string; readonly credit: string }[];
}

interface Exported {
  readonly at: string;
  readonly postings: readonly unknown[];
}

/** A sale whose payout was rejected, and whose deposit could not be returned. */
async function makeStuckSale(url: string): Promise<void> {
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  try {
    const w = world(postgresLegsStore(pool, { schema: SCHEMA }));
    w.chain.isRefusing = true;
    await w.provider.start(sell(w.now, 'DE67370400440532010001'));
    await deposit(w.chain, 'op1-deposit', { amount: '0.00005', asset: 'ETH', at: w.now });
    await deposit(w.chain, 'op1-deposit', { amount: '110.112239', at: w.now });
    await w.pass(20);
    const transfer = transferDocument({ hash: DEPOSIT_HASH, callId: 'op1-deposit', as: 'deposit' });
    await w.store.commit({ documents: [transfer], entries: [] });
    await postgresStore(pool, { schema: SCHEMA }).save('partner', { ...TEST_PARTNER, id: 'partner1' });
  } finally {
    await pool.end();
  }
}
