import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { postgresLegsStore, postgresStore } from '@gateramp/adapters-store-postgres';
import { findOperation, type JsonValue } from '@gateramp/provider-legs';
import { TEST_PARTNER } from '@gateramp/testing';
import pg from 'pg';
import { HDKey } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { REFUND_ADDRESS, sell, world, type World } from '../../../packages/provider-legs/test/world.js';
import { SCHEMA } from '../src/database/schema.js';
import { migratedDatabase, runGate, type MigratedDatabase, type Ran } from './run-gate.js';
import { OFFLINE_LEGS } from './stuck-legs.js';

const ELSEWHERE = '0x52908400098527886E0F7030069857D2E4169EE7';
const HASH = `0x${'cd'.repeat(32)}`;
const UNITS = 10n ** 18n;

/** Each command is a separate process. */
describe('the commands for deposits', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gate-deposits-'));
  let migrated: MigratedDatabase;
  let settings: Readonly<Record<string, string>>;
  let pool: pg.Pool;
  let w: World;
  const gate = (command: string): Promise<Ran> => runGate(command, settings);
  const listed = async (command = 'deposits list --json') => JSON.parse((await gate(command)).out) as unknown;

  beforeAll(async () => {
    migrated = await migratedDatabase();
    const file = join(folder, 'legs.json');
    const chain = { ...OFFLINE_LEGS.chain, deposits: { xpub_env: 'GATE_DEPOSIT_XPUB' } };
    writeFileSync(file, JSON.stringify({ ...OFFLINE_LEGS, chain }));
    const account = HDKey.fromMasterSeed(new Uint8Array(32).fill(9)).derive("m/44'/60'/0'");
    settings = {
      ...migrated.settings,
      GATE_LEGS_FILE: file,
      GATE_WALLET_KEY: `0x${'1'.repeat(64)}`,
      GATE_DEPOSIT_XPUB: account.publicExtendedKey,
    };
    pool = new pg.Pool({ connectionString: migrated.database.url, max: 2 });
    await postgresStore(pool, { schema: SCHEMA }).save('partner', { ...TEST_PARTNER, id: 'partner1' });
    w = world(postgresLegsStore(pool, { schema: SCHEMA }));
    const cursor = { number: 100, hash: HASH, finalized: 90, headers: [], unsettled: [] };
    await put('evm_cursor', 'base', cursor);
  });
  afterAll(async () => {
    await pool.end();
    rmSync(folder, { recursive: true });
    await migrated.database.drop();
  });

  const put = (kind: string, id: string, body: JsonValue) =>
    w.store.commit({ documents: [{ kind, id, version: 1, status: 'watched', dueAt: null, body }], entries: [] });

  /** A sale without a deposit in time, at whose address 0.5 ETH arrived later, and 1 ETH that no deposit explains. */
  async function endedSale(operationId: string, address: string): Promise<void> {
    await w.provider.start({ ...sell(w.now), operationId });
    w.now += 31 * 60_000;
    await w.provider.work('test', w.now);
    // Past the watch of its deposits.
    w.now += 31 * 24 * 3_600_000;
    await w.provider.work('test', w.now);
    const late = { hash: HASH, index: -1, asset: 'ETH', units: String(UNITS / 2n), block: 50, blockHash: HASH };
    await put('evm_deposit', `${operationId}-deposit`, {
      network: 'base',
      index: 0,
      address,
      createdAt: 0,
      deposits: [{ ...late, at: w.now, creditedAt: w.now }],
      reorged: [],
      measured: { block: 80, nonce: 0, spent: { ETH: String(-UNITS) } },
      unattributed: { ETH: String(UNITS) },
    });
  }

  it('list what arrived, and send what is held back once, by the operation and with an audit entry', async () => {
    const address = '0x1111111111111111111111111111111111111111';
    await endedSale('op1', address);
    const row = { address, network: 'base', asset: 'ETH', arrived: '1.5', credited: '0', returned: '0' };
    expect(await listed()).toMatchObject([{ ...row, unattributed: '1.5', held: '1', operation_id: 'op1' }]);
    expect((await gate('deposits list')).out).toContain(address);

    const reconciled = await gate('ledger reconcile');
    expect(reconciled.out).toContain(`Not booked yet: 1.5 ETH@base at ${address}, operation op1 (failed)`);

    const command = `deposits return ${address} --reason ticket-7`;
    const planned = await gate(`${command} --dry-run`);
    expect(planned).toMatchObject({ code: 0, err: 'Nothing was changed.' });
    expect(planned.out).toBe(`1.5 ETH will be sent to ${REFUND_ADDRESS}.`);
    expect(await gate(command)).toMatchObject({ code: 2, err: expect.stringContaining('Pass --yes to confirm.') });
    expect(await gate(`${command} --amount 2 --yes`)).toMatchObject({ code: 1, err: expect.stringContaining('more') });
    expect(await gate(`${command} --to 0x12 --yes`)).toMatchObject({ code: 1, err: expect.stringContaining('0x') });
    expect((await findOperation(w.store, 'op1'))?.state.kind).toBe('ended');

    const done = await gate(`${command} --amount 1.4 --to ${ELSEWHERE} --yes --json`);
    expect(JSON.parse(done.out)).toMatchObject({ operation_id: 'op1', is_dry_run: false, deposits: [{}, {}] });
    expect(await gate(`${command} --yes`)).toMatchObject({
      code: 1,
      err: `Everything that arrived at ${address} is credited to op1.`,
    });
    await w.pass(30);
    expect([...w.chain.sends.values()]).toMatchObject([{ asset: 'ETH', amount: '1.4', to: ELSEWHERE }]);
    const operation = await findOperation(w.store, 'op1');
    expect(operation).toMatchObject({ state: { kind: 'ended', as: 'failed' }, owed: [] });
    expect(await listed()).toMatchObject([{ ...row, credited: '1.5', returned: '1.4', unattributed: '0', held: '0' }]);
    expect(JSON.parse((await gate('audit list --json')).out)).toMatchObject([
      { action: 'deposit.return', target: { type: 'deposit_address', id: address }, reason: 'ticket-7' },
    ]);
    expect((await gate('audit verify')).out).toContain('The audit trail is intact');
  });

  it('credit what is held to its operation, which is then due again, whatever its age', async () => {
    const address = '0x2222222222222222222222222222222222222222';
    await endedSale('op2', address);
    const command = `deposits credit ${address.toUpperCase().replace('0X', '0x')} --reason ticket-8`;
    expect((await gate(`${command} --dry-run`)).out).toBe('1.5 ETH will be credited to operation op2.');
    expect(await gate(`${command} --yes`)).toMatchObject({ code: 0 });
    const due = await w.store.load('operation_test', 'op2');
    expect(due?.dueAt).not.toBeNull();
    const stored = await w.store.load('evm_deposit', 'op2-deposit');
    expect(stored?.body).toMatchObject({
      unattributed: {},
      // The balance is explained as before: what is a deposit now is not counted twice.
      measured: { spent: {} },
      deposits: [{ hash: HASH }, { units: String(UNITS), by: 'operator', block: 80 }],
    });
    const held = await gate('deposits list --held --json');
    expect(JSON.parse(held.out)).toEqual([]);
  });

  it('refuse an unknown address, and a return while the operation is running', async () => {
    expect(await gate('deposits credit 0x33 --reason x --yes')).toMatchObject({
      code: 1,
      err: 'No such deposit address: "0x33". Run: gate deposits list',
    });
    const address = '0x4444444444444444444444444444444444444444';
    await w.provider.start({ ...sell(w.now), operationId: 'op4' });
    const [index, createdAt] = [3, 0];
    await put('evm_deposit', 'op4-deposit', {
      ...{ network: 'base', index, address, createdAt, deposits: [], reorged: [] },
      unattributed: { ETH: '5' },
    });
    expect(await gate(`deposits return ${address} --reason x --yes`)).toMatchObject({
      code: 1,
      err: 'Operation op4 is still running. It accepts or returns its deposits itself.',
    });
  });
});
