import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { webhooks } from '@gateramp/sdk-node';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { eventually } from '../../../apps/reference-server/test/ask.js';
import { EVENT_TABLES } from '../../../examples/fastify-shop/src/received-events.js';
import { scratchDatabase } from '../../services/scratch-database.js';

const EVENTS = 60;
const SECRET = 'whsec_racing_receivers_secret';
const PROGRAM = fileURLToPath(new URL('../racing-receiver.ts', import.meta.url));

interface Receiver {
  readonly process: ChildProcess;
  deliver(id: string): Promise<number>;
  printed(pattern: RegExp): Promise<RegExpExecArray>;
}

async function parcelTables(): Promise<{ readonly url: string; readonly pool: pg.Pool }> {
  const { url } = await scratchDatabase();
  const pool = new pg.Pool({ connectionString: url });
  pool.on('error', () => undefined);
  onTestFinished(() => pool.end());
  await pool.query(`${EVENT_TABLES} create table parcels (event_id text not null, packed_by integer not null)`);
  return { url, pool };
}

/** Another process on the same database. */
async function receiver(environment: Readonly<Record<string, string>>): Promise<Receiver> {
  const child = spawn(process.execPath, ['--conditions=@gateramp/source', '--import', 'tsx', PROGRAM], {
    env: { PATH: process.env['PATH'], ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
  const printed = (pattern: RegExp): Promise<RegExpExecArray> =>
    new Promise((resolve) => {
      const look = (): void => {
        const found = pattern.exec(said);
        if (found !== null) resolve(found);
      };
      child.stdout.on('data', look);
      look();
    });
  const [, port] = await printed(/^listening (\d+)$/m);
  const deliver = async (id: string): Promise<number> => {
    const data = { object: 'gate_session', id: 's1' };
    const body = JSON.stringify({ id, type: 'gate_session.completed', sequence: 1, data });
    const headers = { 'gate-signature': webhooks.generateTestHeader({ payload: body, secret: SECRET }) };
    return (await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body, headers })).status;
  };
  return { process: child, deliver, printed };
}

/** As the service does: until it is acknowledged. */
const deliverUntilDone = (one: Receiver, id: string): Promise<true> =>
  eventually(async () => ((await one.deliver(id)) === 200 ? (true as const) : null));

const parcelsOf = async (pool: pg.Pool): Promise<Readonly<Record<string, number>>> => {
  const { rows } = await pool.query<{ event_id: string; count: number }>(
    'select event_id, count(*)::integer as count from parcels group by event_id',
  );
  return Object.fromEntries(rows.map(({ event_id, count }) => [event_id, count]));
};

describe.each(['transaction', 'lease'])('two processes that receive, on a store by %s', (store) => {
  it('handle each event once when both are sent it at the same time', async () => {
    const { url, pool } = await parcelTables();
    // Longer than a machine may pause a process: one that exceeds its lease handles an event that another one handles too.
    const environment = { DATABASE_URL: url, STORE: store, LEASE_SECONDS: '120' };
    const both = await Promise.all([receiver(environment), receiver(environment)]);
    const ids = Array.from({ length: EVENTS }, (_, n) => `event-${n}`);
    await Promise.all(ids.flatMap((id) => both.map((one) => deliverUntilDone(one, id))));
    expect(await parcelsOf(pool)).toEqual(Object.fromEntries(ids.map((id) => [id, 1])));
  });

  it('lose no event when one of them crashes while it handles it', async () => {
    const { url, pool } = await parcelTables();
    const environment = { DATABASE_URL: url, STORE: store, LEASE_SECONDS: '2' };
    const crashing = await receiver({ ...environment, CRASHES: 'yes' });
    const other = await receiver(environment);
    const lost = crashing.deliver('crash-1').catch(() => 'cut off');
    await crashing.printed(/^written$/m);
    crashing.process.kill('SIGKILL');
    expect(await lost).toBe('cut off');
    await deliverUntilDone(other, 'crash-1');
    // What the crashed process wrote is gone with its transaction; what was written elsewhere before the crash stays.
    expect(await parcelsOf(pool)).toEqual({ 'crash-1': store === 'transaction' ? 1 : 2 });
    expect(await other.deliver('crash-1')).toBe(200);
    expect(await parcelsOf(pool)).toEqual({ 'crash-1': store === 'transaction' ? 1 : 2 });
  });
});
