import { migrate, postgresStore } from '@gateramp/adapters-store-postgres';
import { benchGate, PARTNER } from './gate.mjs';
import { benchPool } from './postgres.mjs';

/** Writes `BENCH_COUNT` sessions, each with an event and a due delivery, and exits. */
const pool = benchPool();
await migrate(pool);
const gate = await benchGate(postgresStore(pool, { preparedStatements: true }));
const scope = { partnerId: PARTNER.id, mode: 'test' };
const body = { amount: '100.00', currency: 'EUR', return_url: 'https://shop.example/done' };
for (let left = Number(process.env.BENCH_COUNT); left > 0; left -= 100) {
  await Promise.all(Array.from({ length: 100 }, () => gate.sessions.create(scope, body)));
}
await pool.end();
process.send({ port: 0 });
