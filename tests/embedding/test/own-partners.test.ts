import { createTestGate, TEST_WEBHOOK_SECRET, TEST_WEBHOOK_URL } from '@gateramp/testing';
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { scratchDatabase } from '../../services/scratch-database.js';
import { saveKey, TENANT_TABLES, tenantPartners } from '../own-partners.js';

const TENANT = '65f0c0ffee65f0c0ffee0099';
const KEY = 'sk_test_tenant_key_of_the_host';

it('serves tenants from tables of the host: keys, origins, webhooks, revocation', async () => {
  const { url } = await scratchDatabase();
  const pool = new pg.Pool({ connectionString: url });
  pool.on('error', () => undefined);
  onTestFinished(() => pool.end());
  await pool.query(TENANT_TABLES);
  const t = (await createTestGate()).restart({ partners: tenantPartners(pool) });
  await pool.query('insert into tenants values ($1, $2, $3, $4, $5)', [
    TENANT,
    'Tenant',
    ['https://shop.example'],
    TEST_WEBHOOK_URL,
    await t.gate.admin.sealSecret(TEST_WEBHOOK_SECRET),
  ]);
  await saveKey(pool, TENANT, KEY);
  const create = (key: string) =>
    t.request('POST', '/v1/gate_sessions', {
      key: KEY,
      idempotencyKey: key,
      body: { amount: '10.00', currency: 'EUR', return_url: 'https://shop.example/done' },
    });

  expect(await create('order-1')).toMatchObject({ status: 201, json: { partner_id: TENANT } });
  await t.clock.advance('1s');
  expect(t.deliveries().map(({ type, verified }) => [type, verified])).toEqual([['gate_session.created', true]]);

  await pool.query('update tenant_keys set revoked_at = now()');
  await t.clock.advance('6s');
  expect(await create('order-2')).toMatchObject({ status: 401, json: { code: 'revoked_api_key' } });
});

it('refuses to save what is not an API key', async () => {
  const pool = new pg.Pool();
  onTestFinished(() => pool.end());
  await expect(saveKey(pool, TENANT, 'secret')).rejects.toThrow('Not an API key');
});
