import { newTask } from '@gateramp/core/domain';
import { DUE_TASKS_MAX } from '@gateramp/core/ports';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { advanceClock } from '../../../tests/services/advance-clock.js';
import type { ScratchDatabase } from '../../../tests/services/scratch-database.js';
import { DEMO_KEYS } from '../src/demo/demo-partner.js';
import { migratedDatabase, runGate } from './run-gate.js';
import { eventually, postAsDemo, readyServer, type ReadyServer } from './running-server.js';

/** The demo partner. */
const PARTNER = '65f0de300000000000000001';

/** Each command is a separate process. */
describe('commands that find work which does not advance', () => {
  let database: ScratchDatabase;
  let settings: Readonly<Record<string, string>>;
  let server: ReadyServer;
  const post = (path: string, body: object, key: string) => postAsDemo(server, path, body, key);
  const create = (key: string) =>
    post('/v1/gate_sessions', { amount: '25.00', currency: 'EUR', return_url: `${server.origins.demo}/` }, key);
  const advance = (seconds: number) => advanceClock(server.origins.sandbox, DEMO_KEYS.secret, seconds);
  const gate = async (command: string) => {
    const ran = await runGate(command, settings);
    expect(ran.code, ran.err).toBe(0);
    return ran;
  };
  const list = async (command: string) =>
    JSON.parse((await gate(`${command} --json`)).out) as readonly Readonly<Record<string, unknown>>[];

  beforeAll(async () => {
    ({ database, settings } = await migratedDatabase({ GATE_TEST_CLOCK: 'on', GATE_ALLOW_PRIVATE_WEBHOOKS: 'on' }));
    server = await readyServer(settings);
  });
  afterAll(async () => {
    server?.process.kill('SIGKILL');
    await database.drop();
  });

  it('sessions stuck names a payment that stays in processing, what holds it and since when', async () => {
    const { id, client_secret: secret } = await create('held');
    const simulated = await post(`/v1/test_helpers/gate_sessions/${id}/simulate`, { scenario: 'processing' }, 'hold');
    await eventually(async () => ((await list('sessions stuck --older-than 0s')).length > 0 ? true : null));
    expect(await list('sessions stuck')).toEqual([]);
    await advance(600);
    expect(await list('sessions stuck')).toMatchObject([
      {
        mode: 'test',
        partner_id: PARTNER,
        session_id: id,
        intent_id: simulated.id,
        reason: 'The payment is processing at sandbox',
      },
    ]);
    expect(await list('sessions stuck --mode live')).toEqual([]);
    const { out } = await gate('sessions stuck');
    expect(out).toMatch(/^AGE +MODE +PARTNER +SESSION .*\n1\dm.* test .* The payment is processing at sandbox$/);
    expect(out).not.toContain(secret);
  });

  it('sessions stuck lists a payment over rails that stays in processing', async () => {
    const quote = await post(
      '/v1/quotes',
      {
        side: 'on_ramp',
        currency: 'EUR',
        asset: 'USDC',
        amount: '25.00',
        country_code: 'DE',
        payment_method: 'bank_transfer',
      },
      'quote',
    );
    const wallet = '0x52908400098527886E0F7030069857D2E4169EE7';
    const payIn = await post('/v1/rails/pay_ins', { quote_id: quote.id, wallet_address: wallet }, 'pay-in');
    await post(`/v1/test_helpers/rails/${payIn.id}/simulate`, { scenario: 'processing' }, 'hold-pay-in');
    await advance(600);
    const found = await list('sessions stuck');
    expect(found.filter(({ session_id }) => session_id === null)).toMatchObject([
      {
        partner_id: PARTNER,
        intent_id: payIn.id,
        transaction_id: payIn['tx_refid'],
        reason: 'The payment is processing at sandbox',
      },
    ]);
    expect(await list('sessions stuck --older-than 30d')).toEqual([]);
    expect((await gate('sessions stuck')).err).toBe('');
    expect((await gate('sessions stuck --limit 1')).err).toMatch(/^More items than the 1 shown are stuck/);
  });

  it('deliveries list finds those of a paused endpoint, and dead-lettered ones, by partner', async () => {
    const place = `--partner ${PARTNER} --mode test`;
    await gate(`endpoints pause ${place}`);
    const { delivery_id: pausedId } = await post('/v1/webhooks/test', {}, 'paused');
    const paused = await eventually(async () => {
      const found = await list('deliveries list --state paused');
      return found.some(({ id }) => id === pausedId) ? found : null;
    });
    expect(paused.find(({ id }) => id === pausedId)).toMatchObject({
      event_type: 'webhook.test',
      is_paused: true,
      attempts: 0,
    });
    await gate(`endpoints set ${place} --url http://127.0.0.1:9/`);
    await gate(`endpoints resume ${place}`);
    const dead = await eventually(async () => {
      await advance(7_200);
      const found = await list(`deliveries list --state dead --partner ${PARTNER}`);
      return found.some(({ id }) => id === pausedId) ? found : null;
    });
    expect(dead.find(({ id }) => id === pausedId)).toMatchObject({
      status: 'dead_lettered',
      attempts: 5,
      next_attempt_at: null,
      last_error: 'connection_refused',
    });
    expect((await list('deliveries list --state dead')).length).toBe(dead.length);
    expect(await list('deliveries list --state parked')).toEqual([]);
    const { err } = await gate('deliveries list --state dead --limit 1');
    expect(err).toBe(dead.length > 1 ? 'There are more than 1. Pass a higher --limit.' : '');
    const unknown = await runGate('deliveries list --partner unknown', settings);
    expect(unknown).toMatchObject({ code: 1, err: expect.stringMatching(/^No such partner/) });
  });

  it('replay previews what it sends again, asks, and queues each once', async () => {
    const replay = `replay --partner ${PARTNER} --type webhook.test --from 30d`;
    const planned = await list(`${replay} --dry-run`);
    expect(planned).toMatchObject([
      { partner_id: PARTNER, mode: 'test', is_dry_run: true, total: 1, by_type: { 'webhook.test': 1 } },
    ]);
    expect(await runGate(replay, settings)).toMatchObject({
      code: 2,
      out: expect.stringMatching(/^.+, test mode: 1 \(webhook\.test 1\)$/),
      err: expect.stringContaining('Nothing was changed. Pass --yes to confirm.'),
    });
    expect(await list(`${replay} --dry-run`)).toMatchObject([{ total: 1 }]);
    const done = await gate(`${replay} --yes`);
    expect(done.out).toMatch(/Queued: test mode: 1 \(webhook\.test 1\)\.$/);
    expect(done.err).toMatch(/run it again with --dead-before \d{4}-/);
    expect(await gate(`${replay} --yes`)).toEqual({ code: 0, out: '', err: 'There is nothing to replay.' });
    expect(await runGate(`${replay} --type no.such`, settings)).toMatchObject({
      code: 2,
      err: expect.stringMatching(/^eventTypes must be a list of event types/),
    });
    expect(await runGate(`${replay} --mode live`, settings)).toMatchObject({
      code: 1,
      err: `${PARTNER} has no webhook URL. Set one with: gate endpoints set`,
    });
  });

  it('work oldest shows the oldest unclaimed work of each kind', async () => {
    server.process.kill('SIGTERM');
    await server.exited;
    server = await readyServer({ ...settings, GATE_ROLE: 'api', GATE_TEST_CLOCK: 'off', GATE_DEMO: 'on' });
    await create('waits');
    const oldest = await list('work oldest --mode test');
    expect(oldest).toContainEqual(
      expect.objectContaining({ kind: 'delivery:first', partner_id: PARTNER, attempts: 0, leased_until: null }),
    );
    expect(await list('deliveries list')).toContainEqual(
      expect.objectContaining({ event_type: 'gate_session.created', status: 'pending', is_paused: false }),
    );
    expect((await gate('work oldest')).out).toMatch(/^KIND +MODE +DUE FOR +ID /);
    expect(await list('work oldest --mode live')).toEqual([]);
  });

  it('work oldest says when more than DUE_TASKS_MAX tasks are due', async () => {
    server.process.kill('SIGTERM');
    await server.exited;
    const task = newTask(
      { id: 'late', kind: 'quota_check', partnerId: PARTNER, mode: 'live', subjectId: PARTNER, dueAt: 1 },
      1,
    );
    const pool = new pg.Pool({ connectionString: database.url, max: 1 });
    onTestFinished(() => pool.end());
    const add = (name: string, count: number) =>
      pool.query(
        `insert into gateramp.tasks (id, mode, free_at, claims, row) select $1 || n, 'live', 1, 0, $2 from generate_series(1, $3::int) as n`,
        [name, JSON.stringify(task), count],
      );
    await add('late', DUE_TASKS_MAX);
    const whole = await gate('work oldest --mode live');
    expect([whole.err, whole.out]).toEqual(['', expect.stringContaining('task:quota_check')]);
    await add('later', 1);
    expect((await gate('work oldest --mode live')).err).toMatch(/^More than 1,000 tasks of a mode are due\./);
  });
});
