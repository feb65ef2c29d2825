import fc from 'fast-check';
import type pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { distributedSchema } from '../../../packages/adapters-store-citus/test/cluster-layout.js';
import { testPool } from '../../../packages/adapters-store-postgres/test/postgres-subject.js';
import { histories } from '../differential/histories.js';
import { express, fastify } from '../differential/kinds.js';
import { play } from '../differential/play.js';
import { distributing, partsInPostgres, withoutTime } from '../moved/places.js';
import { tablesOf } from '../moved/tables.js';

let pool: pg.Pool;
beforeAll(async () => {
  pool = await testPool();
});
afterAll(() => pool.end());

it(
  'an installation that distribute.sql distributes has the rows, and gives the answers, of one that was distributed from the start',
  {
    timeout: 300_000,
  },
  async () => {
    const native = await distributedSchema(pool);
    const compared: { converted: unknown; native: unknown }[] = [];
    const kinds = [
      {
        name: 'distributed tables',
        store: {
          create: async () => ({
            ...withoutTime(partsInPostgres(pool, native, { distributed: true })),
            close: async () => {},
          }),
        },
        http: fastify,
      },
      {
        name: 'tables that become distributed',
        store: {
          create: () =>
            distributing(pool, async (schema) => {
              compared.push({ converted: await rowsOf(schema), native: await rowsOf(native) });
            }),
        },
        http: express,
      },
    ];
    const [history] = fc.sample(histories(400, 500), { seed: 15, numRuns: 1 });
    if (history === undefined) throw new Error('A sample has what was asked for.');
    await play(kinds, history, { moveAfter: 0.7 });
    expect(compared).toHaveLength(1);
    expect(compared[0]?.converted).toEqual(compared[0]?.native);
  },
);

/** The names of some marks do not contain the partner, so the partner of such a mark is not known after a conversion. */
async function rowsOf(schema: string): Promise<object> {
  const { once_marks: marks = [], ...tables } = await tablesOf(pool, schema, { isExact: false });
  return {
    ...tables,
    once_marks: marks.map((mark) => mark.replace(/^(mark provider-event[^]*\npartner_id ).*/, '$1')),
  };
}
