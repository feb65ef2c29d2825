/**
 * One of several processes that create sessions with the same keys, in one file. Starts when stdin
 * says so; prints each answer as it arrives.
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
// Ends by itself: calling exit would drop output that a slow reader has not received yet.
process.stdin.destroy();
