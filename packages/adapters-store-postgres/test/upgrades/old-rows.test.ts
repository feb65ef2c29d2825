import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectDescribed } from '../../../../tests/contract/kit.js';
import { migrate } from '../../src/index.js';
import { aSchemaName, testPool } from '../postgres-subject.js';
import { repeated, restore } from './play-release.js';
import { releases, type Release } from './release.js';
import { answers, aShop } from './shop-life.js';

let pool: pg.Pool;
beforeAll(async () => {
  pool = await testPool();
});
afterAll(() => pool.end());

/** A stored member of each kind of row, and a read that shows it. Deliveries are not listed: members that their rows lack have defaults. */
const MEMBERS = [
  ['sessions', 'returnUrl', '/v1/gate_sessions/{id}'],
  ['intents', 'paymentMethod', '/v1/embed/intents/{id}'],
  ['transactions', 'feeTotal', '/v1/transactions/{refid}'],
  ['branding', 'supportUrl', '/v1/branding'],
  ['quote', 'exchangeRate', '/v1/quotes/{id}'],
  ['pay_in', 'walletAddress', '/v1/rails/pay_ins/{id}'],
  ['pay_out', 'refundAddress', '/v1/rails/pay_outs/{id}'],
  ['pool', 'asset', '/v1/pools'],
  ['pool_trade', 'txHash', '/v1/pools/trades'],
] as const;

describe.each(releases())('rows of $version', (release) => {
  it('are answered as the OpenAPI document of this version describes', async () => {
    expect(await undescribed(release, await upgraded(release))).toEqual([]);
  });

  it('a resource with a member that its rows lack is detected, for every kind of row', async () => {
    const schema = await upgraded(release);
    for (const [kind, member] of MEMBERS) await dropMember(schema, kind, member);
    const faults = (await undescribed(release, schema)).join('\n');
    for (const [, , path] of MEMBERS) expect(faults).toContain(`not what GET ${path} promises`);
  });
});

/** The rows of the release and of its later statements, migrated to this version. */
async function upgraded(release: Release): Promise<string> {
  const schema = aSchemaName();
  await restore(release, pool, schema);
  await repeated(release, pool, schema);
  await migrate(pool, { schema });
  return schema;
}

/** Reads all rows, and returns the answers that the document of this version does not describe. */
async function undescribed(release: Release, schema: string): Promise<readonly string[]> {
  const faults: string[] = [];
  const t = await aShop(pool, schema, 'old-rows', release.now);
  await answers(t, 100, ({ path, host, answer }) => {
    if (answer.status !== 200) faults.push(`GET ${path} answered ${answer.status} ${answer.text}`);
    try {
      expectDescribed({ method: 'GET', path, host }, answer);
    } catch (error) {
      faults.push(String(error));
    }
  });
  return faults;
}

const TABLES: readonly string[] = ['sessions', 'intents', 'transactions'];

async function dropMember(schema: string, kind: string, member: string): Promise<void> {
  const [table, column, where] = TABLES.includes(kind)
    ? [kind, 'row', 'true']
    : ['documents', 'body', `noun = '${kind}'`];
  const { rows } = await pool.query<{ type: string }>(
    `select pg_typeof(${column})::text as type from ${schema}.${table} where ${where} limit 1`,
  );
  const [first] = rows;
  if (first === undefined) throw new Error(`The release has no row of ${kind}.`);
  const dropped = `(${column}::jsonb - '${member}')::${first.type}`;
  await pool.query(`update ${schema}.${table} set ${column} = ${dropped} where ${where}`);
}
