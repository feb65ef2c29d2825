import { randomBytes } from 'node:crypto';
import { copyFileSync, existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SandboxLedger } from '@gateramp/adapters-provider-sandbox';
import {
  aCreate,
  describeLaws,
  kycVaultLaws,
  rows,
  sandboxLedgerLaws,
  unfinishedWorkLaws,
} from '@gateramp/conformance';
import { DAY } from '@gateramp/core/domain';
import { BACKLOG_COUNT_MAX, emptyChange, MARKED_WORK_MAX, Outage } from '@gateramp/core/ports';
import { nodeCrypto } from '@gateramp/core/runtime';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  openSqlite,
  sqliteKycVault,
  sqliteOperator,
  sqliteSandboxLedger,
  sqliteStore,
  type SqliteDatabase,
} from '../src/index.js';

const { ACME, T0 } = rows;
let folder: string;
let file: SqliteDatabase;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gate-sqlite-'));
  file = openSqlite(join(folder, 'gate.db'));
});
afterEach(() => {
  file.close();
  rmSync(folder, { recursive: true, force: true });
});

const [former, present] = [randomBytes(32), randomBytes(32)];
const vaultWith = (masterKey: Uint8Array, oldMasterKeys: readonly Uint8Array[] = []) =>
  sqliteKycVault(file, { crypto: nodeCrypto({ masterKey, oldMasterKeys }) });

describeLaws(
  kycVaultLaws,
  {
    create: async () => {
      const vault = vaultWith(present);
      const read = async (sessionId: string): Promise<string | null> => (await vault.find(sessionId))?.body ?? null;
      return { vault, read, close: async () => undefined };
    },
  },
  { describe, it },
);

it('keeps a KYC package sealed, for its own session alone, and opens it under a new master key after a reseal', async () => {
  const entry = { sessionId: 's1', partnerId: 'acme', mode: 'test', body: '{"name":"Ada"}', forgetBy: T0 } as const;
  await vaultWith(former).store(entry);
  expect(JSON.stringify(file.connection().all('select * from kyc_packages'))).not.toContain('Ada');
  const rotating = nodeCrypto({ masterKey: present, oldMasterKeys: [former] });
  const reseal = (sealed: string): string => rotating.sealSecret(rotating.openSecret(sealed));
  expect(await sqliteOperator(file).resealPackages(reseal)).toBe(1);
  expect(await vaultWith(present).find('s1')).toEqual(entry);
  await file.write((db) => db.run("update kyc_packages set session_id = 's2'"));
  await expect(vaultWith(present).find('s2')).rejects.toThrow('its row was altered');
});

describeLaws(
  sandboxLedgerLaws,
  {
    create: async () => {
      const ledger: SandboxLedger = sqliteSandboxLedger(file);
      return { ledger, store: sqliteStore(file), close: async () => undefined };
    },
  },
  { describe, it },
);

describeLaws(
  unfinishedWorkLaws,
  {
    create: async () => ({ work: sqliteOperator(file), store: sqliteStore(file), close: async () => undefined }),
  },
  { describe, it },
);

it('shows operators what waits, and since when', async () => {
  const events = [rows.aPartnerEvent(ACME, T0), rows.aPartnerEvent(ACME, T0)];
  const deliveries = events.map((event) => ({ row: rows.aDelivery(event, T0), when: 'always' as const }));
  await sqliteStore(file).commit({ ...emptyChange(ACME, T0), events, deliveries, tasks: [rows.aTask()] });
  const operator = sqliteOperator(file);
  const none = { dueDeliveries: 0, overdueDeliveries: 0, dueTasks: 0, overdueTasks: 0, heldSessions: 0 };
  expect(await operator.backlog('test', T0 - 1)).toEqual(none);
  expect(await operator.backlog('live', T0 + DAY)).toEqual(none);
  expect(await operator.backlog('test', T0 + 29_999)).toEqual({ ...none, dueDeliveries: 2, dueTasks: 1 });
  expect(await operator.backlog('test', T0 + 30_000)).toMatchObject({ overdueDeliveries: 2, overdueTasks: 1 });
});

it('stops counting the backlog at BACKLOG_COUNT_MAX', async () => {
  const tasks = Array.from({ length: BACKLOG_COUNT_MAX + 50 }, () => rows.aTask({ dueAt: T0 }));
  await sqliteStore(file).commit({ ...emptyChange(ACME, T0), tasks });
  expect((await sqliteOperator(file).backlog('test', T0)).dueTasks).toBe(BACKLOG_COUNT_MAX);
});

it('marks count parked tasks of a mode up to MARKED_WORK_MAX', async () => {
  const store = sqliteStore(file);
  const work = async () => (await sqliteOperator(file).marks({ scopes: [], work: true })).work;
  const park = (count: number) => {
    const tasks = Array.from({ length: count }, () => ({ ...rows.aTask(), status: 'parked' as const }));
    return store.commit({ ...emptyChange(ACME, T0), tasks });
  };
  await park(MARKED_WORK_MAX - 1);
  const below = await work();
  await park(1);
  const full = await work();
  expect(full).not.toBe(below);
  await park(1);
  expect(await work()).toBe(full);
});

it('copies the whole into a file that was not there, while it is written to', async () => {
  const store = sqliteStore(file);
  const path = join(folder, 'copy.db');
  await store.swapSetting('kept', null, '1');
  const later = store.swapSetting('later', null, '1');
  await sqliteOperator(file).backup(path);
  await later;
  const copy = sqliteStore(path);
  expect([await copy.readSetting('kept'), existsSync(path)]).toEqual(['1', true]);
  copy.close();
  await expect(sqliteOperator(file).backup(path)).rejects.toThrow('already');
});

it('holds everything in the one file once it is closed, so that it may be moved by itself', async () => {
  await sqliteStore(file).swapSetting('kept', null, '1');
  file.close();
  copyFileSync(join(folder, 'gate.db'), join(folder, 'moved.db'));
  const moved = sqliteStore(join(folder, 'moved.db'));
  expect(await moved.readSetting('kept')).toBe('1');
  moved.close();
});

it.each(['removed', 'replaced'])(
  'takes nothing more once the file was %s: it would be lost with the process',
  async (how) => {
    const store = sqliteStore(file);
    await store.commit(aCreate('kept'));
    const path = join(folder, 'gate.db');
    renameSync(path, join(folder, 'elsewhere.db'));
    if (how === 'replaced') copyFileSync(join(folder, 'elsewhere.db'), path);
    await expect(store.commit(aCreate('lost'))).rejects.toThrow(/no longer the file that was opened/);
    await expect(sqliteOperator(file).probe()).rejects.toThrow(Outage);
    rmSync(path, { force: true });
    renameSync(join(folder, 'elsewhere.db'), path);
    expect(await store.commit(aCreate('again'))).toEqual({ kind: 'committed' });
  },
);

it('makes no new pepper for rows that were made with another', async () => {
  const store = sqliteStore(file);
  expect(await store.swapSetting('pepper', null, 'the first')).toBe('the first');
  await store.commit(aCreate('key'));
  file.connection().run("delete from settings where name = 'pepper'");
  await expect(store.swapSetting('pepper', null, 'another')).rejects.toThrow(
    /The pepper is missing from the settings, .* Restore the file from a backup/,
  );
  expect(await store.readSetting('pepper')).toBeNull();
});
