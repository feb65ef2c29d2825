import { randomBytes } from 'node:crypto';
import { describeLaws, kycVaultLaws, rows } from '@gateramp/conformance';
import type { KycVaultEntry } from '@gateramp/core/ports';
import { nodeCrypto } from '@gateramp/core/runtime';
import { createTestGate } from '@gateramp/testing';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { postgresKycVault, postgresOperator } from '../src/index.js';
import { postgresStore } from './patient-store.js';
import { emptySchema, freshSchema, testPool } from './postgres-subject.js';

const { T0 } = rows;
const ENTRY: KycVaultEntry = {
  sessionId: 's1',
  partnerId: 'acme',
  mode: 'test',
  body: '{"provider":"idv","name":"Ada Løvelace"}',
  forgetBy: T0 + 1,
};

let pool: pg.Pool;
let schema: string;
beforeAll(async () => {
  pool = await testPool();
  schema = await freshSchema(pool);
});
afterAll(() => pool.end());

const [former, present] = [randomBytes(32), randomBytes(32)];
const vaultWith = (masterKey: Uint8Array, oldMasterKeys: readonly Uint8Array[] = []) =>
  postgresKycVault(pool, { schema, crypto: nodeCrypto({ masterKey, oldMasterKeys }) });

describeLaws(
  kycVaultLaws,
  {
    create: async () => {
      const vault = vaultWith(present);
      return {
        vault,
        read: async (sessionId) => (await vault.find(sessionId))?.body ?? null,
        close: () => emptySchema(pool, schema),
      };
    },
  },
  { describe, it },
);

it('shows a package to another process of the installation, and to no one who has only the database', async () => {
  await vaultWith(present).store(ENTRY);
  expect(await vaultWith(present).find('s1')).toEqual(ENTRY);
  const { rows: stored } = await pool.query(`select * from "${schema}".kyc_packages`);
  expect(stored).toHaveLength(1);
  expect(JSON.stringify(stored)).not.toMatch(/idv|Ada|velace/);
  await expect(vaultWith(randomBytes(32)).find('s1')).rejects.toThrow(/Add it to the old master keys/);
});

it('opens what a former master key has sealed, and after a reseal needs that key no more', async () => {
  await vaultWith(former).store(ENTRY);
  const rotating = nodeCrypto({ masterKey: present, oldMasterKeys: [former] });
  expect(await vaultWith(present, [former]).find('s1')).toEqual(ENTRY);
  await expect(vaultWith(present).find('s1')).rejects.toThrow(/Add it to the old master keys/);
  const reseal = (sealed: string) => rotating.sealSecret(rotating.openSecret(sealed));
  expect(await postgresOperator(pool, { schema }).resealPackages(reseal)).toBe(1);
  expect(await vaultWith(present).find('s1')).toEqual(ENTRY);
  await emptySchema(pool, schema);
});

it('reseals however many packages there are, each once', async () => {
  const vault = vaultWith(present);
  for (let nth = 0; nth < 205; nth += 1) await vault.store({ ...ENTRY, sessionId: `s${nth}` });
  const seen: string[] = [];
  const count = await postgresOperator(pool, { schema }).resealPackages((sealed) => {
    seen.push(sealed);
    return sealed;
  });
  expect([count, new Set(seen).size]).toEqual([205, 205]);
  await vault.sweep('test', T0 + 1);
  expect(await vault.find('s204')).toBeNull();
});

it('does not open a package as that of another session', async () => {
  await vaultWith(present).store(ENTRY);
  await pool.query(`update "${schema}".kyc_packages set session_id = 's2'`);
  await expect(vaultWith(present).find('s2')).rejects.toThrow(/sealed for another session/);
  await emptySchema(pool, schema);
});

it('keeps the package of a session until it ends, and sweeps what a crash has left behind', async () => {
  const vault = vaultWith(present);
  const t = await createTestGate({ ports: { vault, store: postgresStore(pool, { schema }) } });
  const kyc_package = { provider: 'idv', name: 'Ada' };
  const [ended, open] = [await t.createSession({ kyc_package }), await t.createSession({ kyc_package })];
  expect(ended.kyc_pre_verified).toBe(true);
  expect((await vault.find(ended.id))?.body).toBe(JSON.stringify(kyc_package));
  await vault.store({ ...ENTRY, sessionId: 'orphan', forgetBy: t.clock.now('test') + 1_000 });
  expect((await t.gate.sessions.cancel({ partnerId: t.partner.id, mode: 'test' }, ended.id)).isOk()).toBe(true);
  await expect.poll(() => vault.find(ended.id)).toBeNull();
  expect(await vault.find(open.id)).not.toBeNull();
  await t.clock.advance('2m');
  await t.gate.runDue();
  await expect.poll(() => vault.find('orphan')).toBeNull();
  expect(await vault.find(open.id)).not.toBeNull();
  await emptySchema(pool, schema);
});

it('calls it an outage when Postgres does not answer', async () => {
  const nowhere = new pg.Pool({ connectionString: 'postgres://nobody@127.0.0.1:1/nothing', max: 1 });
  const vault = postgresKycVault(nowhere, { crypto: nodeCrypto({ masterKey: present }) });
  for (const call of [vault.store(ENTRY), vault.forget('s1'), vault.sweep('test', T0), vault.find('s1')])
    await expect(call).rejects.toMatchObject({ outage: true });
  await nowhere.end();
});
