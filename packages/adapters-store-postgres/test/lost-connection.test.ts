import { createServer, type AddressInfo } from 'node:net';
import { rows } from '@gateramp/conformance';
import { isOutage } from '@gateramp/core/ports';
import type { PageRequest } from '@gateramp/core/domain';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { postgresStore } from '../src/index.js';
import { freshSchema, testPool } from './postgres-subject.js';

let pool: pg.Pool;
let schema: string;
beforeAll(async () => {
  pool = await testPool();
  schema = await freshSchema(pool);
});
afterAll(() => pool.end());

const firstPage: PageRequest = { start: { kind: 'newest' }, limit: 10 };
const anyEvent = { type: null, sessionId: null, createdAfter: null, createdBefore: null };

it('a connection that is lost between two statements of a page ends no process', async () => {
  const fallible = await testPool(1);
  const store = postgresStore(fallible, { schema });
  const list = (): Promise<unknown> => store.list('event', rows.ACME, anyEvent, firstPage);
  // Reads how the table is partitioned, which is remembered: the statements of the next page are those of its transaction.
  await list();
  fallible.once('acquire', (client: pg.PoolClient & { processID?: number }) => {
    const query = client.query.bind(client) as (...args: unknown[]) => Promise<unknown>;
    const losing = async (...args: unknown[]): Promise<unknown> => {
      const answer = await query(...args);
      // Not `once` of node:events, which would also listen for errors.
      const gone = new Promise<void>((resolve) => client.once('end', resolve));
      await pool.query('select pg_terminate_backend($1)', [client.processID]);
      await gone;
      return answer;
    };
    Object.assign(client, { query: losing });
  });
  const { failure, ended } = await watched(list);
  expect(isOutage(failure)).toBe(true);
  expect(ended).toEqual([]);
  await fallible.end();
});

it('a connection that is lost in the moment it becomes free ends no process', async () => {
  const dying = createServer((socket) => {
    // In one packet, as a busy process reads it: both messages are processed before the caller that waits for the connection.
    socket.once('data', () => socket.end(Buffer.concat([AUTHENTICATED, READY, SHUT_DOWN])));
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => dying.listen(0, '127.0.0.1', resolve));
  const { port } = dying.address() as AddressInfo;
  const doomed = new pg.Pool({ host: '127.0.0.1', port, user: 'anyone', database: 'any', ssl: false });
  const store = postgresStore(doomed, { schema });
  const { failure, ended } = await watched(() => store.list('event', rows.ACME, anyEvent, firstPage));
  expect(isOutage(failure)).toBe(true);
  expect(ended).toEqual([]);
  await doomed.end();
  await new Promise((resolve) => dying.close(resolve));
});

/** The error of `work`, and the errors that would have ended the process meanwhile. */
async function watched(work: () => Promise<unknown>): Promise<{ failure: unknown; ended: readonly unknown[] }> {
  const ended: unknown[] = [];
  const onEnd = (error: unknown): void => void ended.push(error);
  process.on('uncaughtException', onEnd);
  try {
    return { failure: await work().catch((error: unknown) => error), ended };
  } finally {
    process.off('uncaughtException', onEnd);
  }
}

const AUTHENTICATED = message('R', Buffer.from([0, 0, 0, 0]));
const READY = message('Z', Buffer.from('I'));
const SHUT_DOWN = message(
  'E',
  Buffer.from('SFATAL\0C57P01\0Mterminating connection due to unexpected postmaster exit\0\0'),
);

/** The frame of a Postgres message: a letter, the length of the rest, the rest. */
function message(letter: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(letter, 'latin1');
  head.writeInt32BE(4 + body.length, 1);
  return Buffer.concat([head, body]);
}
