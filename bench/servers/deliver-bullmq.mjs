import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { Agent, request } from 'undici';

/**
 * Adds `BENCH_COUNT` jobs of about the same size. On `go`, a bare worker posts them, without rows, signatures, guards or
 * durability.
 */

/** The approximate size of a `gate_session.created` event. */
const BYTES = 720;

const connection = new Redis(process.env.BENCH_REDIS_URL, { maxRetriesPerRequest: null });
const name = process.env.BENCH_QUEUE;
const queue = new Queue(name, { connection });
const data = { url: process.env.BENCH_RECEIVER, body: 'x'.repeat(BYTES) };
const options = { removeOnComplete: true, removeOnFail: true };
for (let left = Number(process.env.BENCH_COUNT); left > 0; left -= 500) {
  await queue.addBulk(Array.from({ length: 500 }, () => ({ name: 'post', data, opts: options })));
}
const dispatcher = new Agent({ connections: 128 });
const post = async ({ data: { url, body } }) => {
  const { statusCode, body: answer } = await request(url, {
    method: 'POST',
    dispatcher,
    body,
    headers: { 'content-type': 'application/json' },
  });
  await answer.dump();
  if (statusCode !== 200) throw new Error(`answered ${statusCode}`);
};
process.on('message', () => {
  new Worker(name, post, {
    connection: new Redis(process.env.BENCH_REDIS_URL, { maxRetriesPerRequest: null }),
    concurrency: 128,
  });
});
process.send({ port: 0 });
