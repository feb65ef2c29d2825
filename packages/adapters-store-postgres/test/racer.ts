/** One of several processes that create sessions with the same keys. Starts when stdin says so; reports the answers. */
import { once } from 'node:events';
import { aCreate } from '@gateramp/conformance';
import pg from 'pg';
import { postgresStore } from '../src/index.js';

const [url, schema, creates, keys] = process.argv.slice(2);
const pool = new pg.Pool({ connectionString: url, max: 8 });
const store = postgresStore(pool, { schema: String(schema) });
await pool.query('select 1');
process.stdout.write('ready\n');
await once(process.stdin, 'data');

const answers: { key: string; kind: string; reply: string | null }[] = [];
let next = 0;
await Promise.all(
  Array.from({ length: 32 }, async () => {
    for (let nth = (next += 1); nth <= Number(creates); nth = next += 1) {
      const key = `key-${nth % Number(keys)}`;
      const change = aCreate(key);
      const outcome = await store.commit(change);
      answers.push({ key, kind: outcome.kind, reply: outcome.kind === 'replay' ? outcome.reply : null });
    }
  }),
);
await pool.end();
process.stdout.write(JSON.stringify(answers));
// Ends by itself: calling exit would drop output that a slow reader has not received yet.
process.stdin.destroy();
