import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ScratchDatabase } from '../../../tests/services/scratch-database.js';
import { DEMO_KEYS } from '../src/demo/demo-partner.js';
import { migratedDatabase, runGate } from './run-gate.js';
import { call, eventually, readyServer, type ReadyServer } from './running-server.js';

const KEY = { authorization: `Bearer ${DEMO_KEYS.secret}` };

describe('draining the worker of one of several processes', () => {
  let database: ScratchDatabase;
  let settings: Readonly<Record<string, string>>;
  const servers: ReadyServer[] = [];
  const start = async (more: Readonly<Record<string, string>> = {}): Promise<ReadyServer> => {
    const server = await readyServer({ ...settings, ...more });
    servers.push(server);
    return server;
  };
  const workerOf = async ({ origins }: ReadyServer) =>
    ((await call(`${origins.ops}/ready`)).json as unknown as { readonly worker: string }).worker;
  /** The status of a new webhook's delivery, as the database has it. */
  const newDelivery = async ({ origins }: ReadyServer, key: string): Promise<() => Promise<unknown>> => {
    const sent = await call(`${origins.sandbox}/v1/webhooks/test`, { ...KEY, 'idempotency-key': key }, {});
    expect(sent.status).toBe(202);
    const path = `/v1/webhooks/deliveries/${String(sent.json['delivery_id'])}`;
    return async () => (await call(`${origins.sandbox}${path}`, KEY)).json['status'];
  };

  const delivered = (status: () => Promise<unknown>): Promise<boolean> =>
    eventually(async () => ((await status()) === 'delivered' ? true : null));

  beforeAll(async () => {
    ({ database, settings } = await migratedDatabase({ GATE_DEMO: 'on', GATE_ALLOW_PRIVATE_WEBHOOKS: 'on' }));
  });
  afterAll(async () => {
    for (const server of servers) server.process.kill('SIGKILL');
    await database.drop();
  });

  it('by gate drain: asks for confirmation, reports the end, keeps serving requests, and resumes', async () => {
    const first = await start();
    const { ops } = first.origins;
    expect(await workerOf(first)).toBe('working');
    expect(await runGate(`drain --ops ${ops} --dry-run`, {})).toMatchObject({ code: 0, out: 'The worker is working.' });
    expect(await runGate(`drain --ops ${ops}`, {})).toMatchObject({
      code: 2,
      err: expect.stringContaining('Pass --yes to confirm.'),
    });
    expect(await runGate(`drain --ops ${ops} --yes --json`, {})).toMatchObject({
      code: 0,
      out: JSON.stringify({ ops, worker: 'drained' }, null, 2),
    });
    const waiting = await newDelivery(first, 'while-drained');
    // A database that answers late is down for a moment.
    await expect.poll(async () => (await call(`${ops}/ready`)).status).toBe(200);
    expect(first.stderr()).toContain('The worker is drained');

    const second = await start({ GATE_ROLE: 'worker', GATE_DEMO: 'off' });
    await delivered(waiting);
    second.process.kill('SIGTERM');
    expect(await second.exited).toBe(0);

    const kept = await newDelivery(first, 'no-worker');
    await expect.poll(kept).toBe('pending');
    expect(await runGate(`drain --ops ${ops} --resume`, {})).toMatchObject({ code: 0, out: 'The worker is working.' });
    await delivered(kept);
  });

  it('by SIGUSR2, and no page can do it', async () => {
    const [server] = servers;
    if (server === undefined) throw new Error('The first test starts it.');
    server.process.kill('SIGUSR2');
    await eventually(async () => ((await workerOf(server)) === 'drained' ? true : null));
    const page = { method: 'POST', headers: { origin: 'https://evil.example' } };
    expect((await fetch(`${server.origins.ops}/resume`, page)).status).toBe(403);
    expect(await workerOf(server)).toBe('drained');
    expect((await fetch(`${server.origins.ops}/other`, { method: 'POST' })).status).toBe(404);
  });

  it('reports a process without a worker, and a port that does not answer', async () => {
    const api = await start({ GATE_ROLE: 'api' });
    expect(await runGate(`drain --ops ${api.origins.ops} --yes`, {})).toMatchObject({
      code: 1,
      err: expect.stringContaining('(GATE_ROLE=api); it has no worker.'),
    });
    expect(await runGate('drain --ops http://127.0.0.1:9 --yes', {})).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^No answer from http:\/\/127\.0\.0\.1:9\./),
    });
  });
});
