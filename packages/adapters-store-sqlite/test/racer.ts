/**
 * One of several processes that create sessions under the same keys, on one file. Begins when stdin says so; says
 * each answer as it comes.
 */
import { once } from 'node:events';
import { aCreate } from '@gateramp/conformance';
import { sqliteStore } from '../src/index.js';

const [path, creates, keys] = process.argv.slice(2);
const store = sqliteStore(String(path));
await store.readSetting('any');
process.stdout.write('ready\n');
await once(process.stdin, 'data');

let next = 0;
await Promise.all(
  Array.from({ length: 16 }, async () => {
    for (let nth = (next += 1); nth <= Number(creates); nth = next += 1) {
      const key = `key-${nth % Number(keys)}`;
      const outcome = await store.commit(aCreate(key));
      const reply = outcome.kind === 'replay' ? outcome.reply : null;
      process.stdout.write(`${JSON.stringify({ key, kind: outcome.kind, reply })}\n`);
    }
  }),
);
store.close();
// It ends by itself: an exit would drop what a slow reader has not taken yet.
process.stdin.destroy();
