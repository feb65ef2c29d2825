import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openSqlite, sqliteLegsStore, sqliteStore } from '@gateramp/adapters-store-sqlite';
import { decimal } from '@gateramp/core/domain';
import { fixedSpread, type JsonValue } from '@gateramp/provider-legs';
import { TEST_PARTNER } from '@gateramp/testing';
import { HDKey } from 'viem/accounts';
import { deposit, sell, world as legsWorld } from '../../../packages/provider-legs/test/world.js';
import { createScratchDatabase, type ScratchDatabase } from '../../../tests/services/scratch-database.js';
import { writeArchive } from '../src/cli/partition-archive.js';
import { keepHold, type HistoryReport } from '../src/history/history-settings.js';
import { migratedDatabase, runGate } from './run-gate.js';
import { postAsDemo, readyServer, type ReadyServer } from './running-server.js';
import { OFFLINE_LEGS } from './stuck-legs.js';

type Settings = Readonly<Record<string, string>>;

/** An installation in a data folder with a running server, another one in Postgres, and objects for every command. */
export interface CommandWorld {
  readonly server: ReadyServer;
  readonly inFolder: Settings;
  readonly inDatabase: Settings;
  /** The settings for the folder that `movable` has prepared last. */
  readonly moving: Settings;
  paidTransaction(): Promise<string>;
  stuckOperation(): Promise<string>;
  /** The address of a deposit that waits for an operator. */
  heldDeposit(): Promise<string>;
  /** The pair of a price that jumped. */
  refusedPrice(): Promise<string>;
  /** Puts the installation on hold. Returns no arguments. */
  hold(): Promise<readonly string[]>;
  /** The manifest of an archive. */
  archive(): Promise<string>;
  /** The arguments of a move. */
  movable(is: { readonly isMoved: boolean }): Promise<readonly string[]>;
  close(): Promise<void>;
}

const HASH = `0x${'cd'.repeat(32)}`;
const ETHER = 10n ** 18n;

export async function commandWorld(folder: string): Promise<CommandWorld> {
  const dir = join(folder, 'data');
  const legsFile = join(folder, 'legs.json');
  const chain = { ...OFFLINE_LEGS.chain, deposits: { xpub_env: 'GATE_DEPOSIT_XPUB' } };
  writeFileSync(legsFile, JSON.stringify({ ...OFFLINE_LEGS, chain }));
  const account = HDKey.fromMasterSeed(new Uint8Array(32).fill(9)).derive("m/44'/60'/0'");
  const server = await readyServer({ GATE_DATA_DIR: dir, GATE_RATE_LIMITS: 'off' });
  const migrated = await migratedDatabase();
  const databases: ScratchDatabase[] = [migrated.database];
  const file = openSqlite(join(dir, 'gate.db'));
  const store = sqliteStore(file);
  const legs = legsWorld(sqliteLegsStore(file));
  await store.save('partner', { ...TEST_PARTNER, id: 'partner1' });
  await store.save('partner', { ...TEST_PARTNER, id: 'acme' });
  await store.save('endpoint', { partnerId: 'acme', mode: 'test', url: 'https://shop.example/hooks', secrets: [] });
  let nth = 0;
  const put = (kind: string, id: string, body: JsonValue) =>
    legs.store.commit({ documents: [{ kind, id, version: 1, status: 'watched', dueAt: null, body }], entries: [] });
  await put('evm_cursor', 'base', { number: 100, hash: HASH, finalized: 90, headers: [], unsettled: [] });
  let price = '0.92';
  const source = async () => ({ price, at: Date.now() });
  const pair = { asset: 'USDC', currency: 'EUR' };
  const spread = fixedSpread({ pairs: [pair], sources: [source], spreadBps: 0, trust: { store: legs.store } });
  await spread.price(pair, Date.now());
  const inFolder = {
    GATE_DATA_DIR: dir,
    GATE_LEGS_FILE: legsFile,
    GATE_WALLET_KEY: `0x${'1'.repeat(64)}`,
    GATE_DEPOSIT_XPUB: account.publicExtendedKey,
    GATE_CONSOLE_URL: 'https://console.example',
  };
  let moving: Settings = {};

  return {
    server,
    inFolder,
    inDatabase: migrated.settings,
    get moving() {
      return moving;
    },
    paidTransaction: async () => {
      const order = { amount: '100.00', currency: 'EUR', return_url: `${server.origins.demo}/done` };
      const { id } = await postAsDemo(server, '/v1/gate_sessions', order, crypto.randomUUID());
      const simulate = `/v1/test_helpers/gate_sessions/${String(id)}/simulate`;
      const paid = await postAsDemo(server, simulate, { scenario: 'succeed' }, crypto.randomUUID());
      return String(paid['tx_refid']);
    },
    stuckOperation: async () => {
      const operationId = `stuck${(nth += 1)}`;
      legs.chain.isRefusing = true;
      await legs.provider.start({ ...sell(legs.now, 'DE67370400440532010001'), operationId });
      await deposit(legs.chain, `${operationId}-deposit`, { amount: '110.112239', at: legs.now });
      await legs.pass(20);
      return operationId;
    },
    heldDeposit: async () => {
      const operationId = `held${(nth += 1)}`;
      const address = `0x${String(nth).padStart(40, '1')}`;
      await legs.provider.start({ ...sell(legs.now), operationId });
      legs.now += 31 * 60_000;
      await legs.provider.work('test', legs.now);
      // Past the watch of its deposits.
      legs.now += 31 * 24 * 3_600_000;
      await legs.provider.work('test', legs.now);
      const late = { hash: HASH, index: -nth, asset: 'ETH', units: String(ETHER / 2n), block: 50, blockHash: HASH };
      await put('evm_deposit', `${operationId}-deposit`, {
        network: 'base',
        index: nth,
        address,
        createdAt: 0,
        deposits: [{ ...late, at: legs.now, creditedAt: legs.now }],
        reorged: [],
        measured: { block: 80, nonce: 0, spent: { ETH: String(-ETHER) } },
        unattributed: { ETH: String(ETHER) },
      });
      return address;
    },
    refusedPrice: async () => {
      price = decimal.multiply(price, '1.5');
      await spread.price(pair, Date.now());
      return 'USDC/EUR';
    },
    hold: async () => {
      await keepHold(store, LOST);
      return [];
    },
    archive: async () => {
      const archives = join(folder, 'archive');
      const partition = {
        name: 'events_2020_01',
        table: 'events' as const,
        columns: ['id'],
        schemaVersion: 1,
        rows: async function* () {
          yield ['{"id":"1"}'];
        },
      };
      await writeArchive(archives, partition);
      return join(archives, 'events_2020_01.manifest.json');
    },
    movable: async ({ isMoved }) => {
      const [copy, database] = [join(folder, `moved${(nth += 1)}`), await createScratchDatabase()];
      databases.push(database);
      mkdirSync(copy, { mode: 0o700 });
      await runGate(`backup ${join(copy, 'gate.db')}`, inFolder);
      copyFileSync(join(dir, 'master.key'), join(copy, 'master.key'));
      moving = { GATE_DATA_DIR: copy };
      const target = ['--to', database.url];
      if (!isMoved) return target;
      await runGate(`move ${target.join(' ')}`, moving);
      return [...target, '--back'];
    },
    close: async () => {
      server.process.kill('SIGTERM');
      await server.exited;
      file.close();
      for (const database of databases) await database.drop();
    },
  };
}

const LOST: HistoryReport = {
  object: 'history_report',
  since: '2030-01-31T00:00:00.000Z',
  reason: 'rows_missing',
  identity_before: null,
  identity: null,
  checked: 1,
  last_told_at: '2030-01-30T00:00:00.000Z',
  missing: 1,
  first_missing_at: '2030-01-30T00:00:00.000Z',
  last_missing_at: '2030-01-30T00:00:00.000Z',
  examples: [{ noun: 'session', partnerId: 'acme', mode: 'test', id: 'lost', version: 1, at: 1 }],
};
