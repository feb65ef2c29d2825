import { emptyChange, type WebhookSender } from '@gateramp/core/ports';
import { rows } from '@gateramp/conformance';
import { createTestGate, REFUSED, TEST_KEYS, type TestGate } from '@gateramp/testing';
import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import { postgresLegsStore } from '../src/index.js';
import { postgresStore } from './patient-store.js';
import { freshSchema, testPool } from './postgres-subject.js';

const HOUR = 3_600_000;

const pools: pg.Pool[] = [];
let schema: string;
beforeAll(async () => {
  for (let nth = 0; nth < 3; nth += 1) pools.push(await testPool(6));
});
beforeEach(async () => {
  schema = await freshSchema(poolOf(0));
});
afterAll(() => Promise.all(pools.map((pool) => pool.end())));

function poolOf(nth: number): pg.Pool {
  const pool = pools[nth];
  if (pool === undefined) throw new Error('Three pools were opened.');
  return pool;
}

const storeOf = (nth: number) => postgresStore(poolOf(nth), { schema });

function holdsOf(nth: number) {
  const { sandboxHolds } = storeOf(nth);
  if (sandboxHolds === undefined) throw new Error('Postgres has holds.');
  return sandboxHolds;
}

interface Process {
  readonly t: TestGate;
  /** What it has sent, as partner and type. */
  readonly sent: string[];
  /** Its next attempt waits until the returned function is called. */
  block(): { readonly begun: Promise<void>; readonly end: () => void };
}

const BOLT = 'bolt';

/** Two processes on one database, each with its own connections, and a second partner. */
async function twoProcesses(): Promise<readonly [Process, Process]> {
  const open = (opened: (ports: { readonly sender: WebhookSender }) => TestGate): Process => {
    const sent: string[] = [];
    let blocked: { readonly begin: () => void; readonly ended: Promise<void> } | null = null;
    const sender: WebhookSender = {
      send: async (request) => {
        const block = blocked;
        blocked = null;
        block?.begin();
        await block?.ended;
        sent.push(`${request.partnerId === BOLT ? 'bolt' : 'acme'} ${String(JSON.parse(request.body).type)}`);
        return base.ports.sender?.send(request) ?? REFUSED;
      },
      close: async () => undefined,
    };
    const block: Process['block'] = () => {
      let end = (): void => undefined;
      let begin = (): void => undefined;
      const ended = new Promise<void>((resolve) => (end = resolve));
      const begun = new Promise<void>((resolve) => (begin = resolve));
      blocked = { begin, ended };
      return { begun, end };
    };
    return { t: opened({ sender }), sent, block };
  };
  const base = await createTestGate({ policy: { testClock: 'partner' }, ports: { store: storeOf(0) } });
  await base.gate.admin.savePartner({ ...base.partner, id: BOLT, name: 'Bolt' });
  const endpoint = { url: 'https://bolt.example/hooks', secret: 'whsec_000000000000000000000000bolt' };
  await base.gate.admin.setEndpoint({ partnerId: BOLT, mode: 'test' }, endpoint);
  return [
    open((ports) => base.restart({ ...ports, store: storeOf(1) })),
    open((ports) => base.restart({ ...ports, store: storeOf(2) })),
  ];
}

const createOf = (t: TestGate, partnerId: string) =>
  t.gate.sessions.create(
    { partnerId, mode: 'test' },
    { amount: '100.00', currency: 'EUR', return_url: 'https://shop.example/done' },
  );

const advanceOver = (t: TestGate, seconds: number) =>
  t.request('POST', '/v1/test_helpers/clock/advance', { key: TEST_KEYS.secret.test, body: { seconds } });

const acme = (t: TestGate) => ({ partnerId: t.partner.id, mode: 'test' as const });

it('while one process steps a sandbox, another claims no work of it, and does the work of other partners', async () => {
  const [api, worker] = await twoProcesses();
  const { receiver } = api.t;
  receiver.answerWith(() => REFUSED);
  await api.t.createSession();
  await worker.t.gate.runDue();
  expect(worker.sent).toEqual(['acme gate_session.created']);

  receiver.answerWith(() => ({ responseStatus: 200, responseBody: '', error: null }));
  const retry = api.block();
  const advanced = api.t.gate.advanceTestClock(HOUR, api.t.partner.id);
  await retry.begun;
  // Due at once in the sandbox, and for Bolt in the time of the mode.
  await api.t.createSession();
  await createOf(api.t, BOLT);
  for (let nth = 0; nth < 3; nth += 1) await worker.t.gate.runDue();
  expect(worker.sent.slice(1)).toEqual(['bolt gate_session.created']);
  retry.end();
  expect((await advanced).fired.map(({ type }) => type)).toEqual(['delivery', 'delivery']);
  expect(api.sent).toEqual(['acme gate_session.created', 'acme gate_session.created']);

  // Afterwards the worker continues at the time that was reached.
  await api.t.createSession();
  await worker.t.gate.runDue();
  expect(worker.sent.slice(2)).toEqual(['acme gate_session.created']);
  expect(worker.t.gate.clock.now(acme(api.t))).toBe(api.t.gate.clock.now(acme(api.t)));
});

it('an advance waits for the attempts that other processes have begun, and repeats none', async () => {
  const [api, worker] = await twoProcesses();
  await api.t.createSession();
  const attempt = worker.block();
  const working = worker.t.gate.runDue();
  await attempt.begun;
  let isAnswered = false;
  const advanced = api.t.gate.advanceTestClock(HOUR, api.t.partner.id).finally(() => (isAnswered = true));
  await expect.poll(() => holdCount()).toBe(1);
  for (let nth = 0; nth < 20; nth += 1) await poolOf(0).query('select 1');
  expect(isAnswered).toBe(false);
  attempt.end();
  await working;
  await advanced;
  expect([worker.sent.length, api.sent.length]).toEqual([1, 0]);
  expect(await holdCount()).toBe(0);
});

it('a process that has not read an advance yet claims no work of that sandbox: its lease would already have ended', async () => {
  const [{ t }] = await twoProcesses();
  await t.createSession();
  await createOf(t, BOLT);
  const now = { test: t.gate.clock.now('test'), live: t.gate.clock.now('live') };
  const claimed = async (byMs: ReadonlyMap<string, number>) => {
    const sandboxes = new Map([...byMs].map(([partnerId, ms]) => [partnerId, now.test + ms]));
    const claim = {
      lane: 'first',
      now,
      sandboxes,
      skipsStepped: true,
      limit: 9,
      perEndpoint: 9,
      leaseMs: 1,
      token: 'a',
    } as const;
    return (await storeOf(1).claim('delivery', claim)).map(({ event }) => event.partnerId);
  };
  const { id } = t.partner;
  await storeOf(0).swapSetting(`test_clock_offset_ms/${id}`, null, String(HOUR));
  expect(await claimed(new Map())).toEqual([BOLT]);
  expect(await claimed(new Map([[id, HOUR / 2]]))).toEqual([]);
  expect(await claimed(new Map([[id, HOUR]]))).toEqual([id]);
});

it('of two advances of one sandbox at once, in two processes, the second is refused; one after the other they add up', async () => {
  const [one, two] = await twoProcesses();
  const start = one.t.gate.clock.now(acme(one.t));
  const { id } = await one.t.createSession();
  const attempt = one.block();
  const first = advanceOver(one.t, 3_600);
  await attempt.begun;
  expect(await advanceOver(two.t, 60)).toMatchObject({ status: 409, json: { code: 'operation_in_progress' } });
  await expect(two.t.gate.advanceTestClock(HOUR, one.t.partner.id)).rejects.toThrow('by another process');
  expect(await two.t.gate.advanceToEnd(one.t.partner.id, id)).toMatchObject({ stopped: 'limit', fired: [] });
  const kept = await two.t.gate.admin.checkpoints.create(one.t.partner.id, 'held');
  expect(kept.isErr() && kept.error.code).toBe('try_again');
  await two.t.gate.advanceTestClock(HOUR, BOLT);
  attempt.end();
  expect((await first).status).toBe(200);
  expect((await advanceOver(two.t, 60)).status).toBe(200);
  expect(two.t.gate.clock.now(acme(two.t))).toBe(start + HOUR + 60_000);
});

it('a process that died while it stepped a sandbox holds it for some seconds, and what it was running is repeated', async () => {
  const [api, worker] = await twoProcesses();
  await api.t.createSession();
  const holds = holdsOf(0);
  const { partner } = api.t;
  expect(await holds.hold(partner.id, 'of-the-dead', 60_000)).toBe('new');
  const now = api.t.gate.clock.now(acme(api.t));
  const [due] = (await storeOf(0).sandboxesDue?.({ ahead: new Map([[partner.id, 0]]), limit: 1 })) ?? [];
  if (due === undefined) throw new Error('The event of the session is due.');
  const lease = { now, leaseMs: 60_000, token: 'stepped/of-the-dead' };
  expect(await storeOf(0).claimOne('delivery', due, due.id, lease)).not.toBeNull();
  await expect(api.t.gate.advanceTestClock(HOUR, partner.id)).rejects.toThrow('by another process');
  // What is left of the hold of a process that extended it last a while ago.
  expect(await holds.hold(partner.id, 'of-the-dead', 500)).toBe('kept');
  await expect
    .poll(() => api.t.gate.advanceTestClock(HOUR, partner.id).then(({ fired }) => fired.length, String))
    .toBe(1);
  expect([api.sent, worker.sent]).toEqual([['acme gate_session.created'], []]);
});

it('a hold belongs to one token until it ends, is released only by it, and a gap is reported', async () => {
  const [one, two] = [holdsOf(0), holdsOf(1)];
  expect(await one.hold('acme', 'a', 60_000)).toBe('new');
  expect(await one.hold('acme', 'a', 60_000)).toBe('kept');
  expect(await two.hold('acme', 'b', 60_000)).toBe('taken');
  expect(await two.hold('bolt', 'b', 60_000)).toBe('new');
  await two.release('acme', 'b');
  expect(await two.hold('acme', 'b', 60_000)).toBe('taken');
  expect(await one.hold('acme', 'a', 0)).toBe('kept');
  expect(await one.hold('acme', 'a', 0)).toBe('new');
  expect(await two.hold('acme', 'b', 60_000)).toBe('new');
  await one.release('acme', 'a');
  expect(await one.hold('acme', 'a', 60_000)).toBe('taken');
  await two.release('acme', 'b');
  const racers = Array.from({ length: 12 }, (_, nth) => holdsOf(nth % 3).hold('acme', `racer-${nth}`, 60_000));
  const outcomes = await Promise.all(racers);
  expect(outcomes.filter((outcome) => outcome === 'new')).toHaveLength(1);
  expect(outcomes.filter((outcome) => outcome === 'taken')).toHaveLength(11);
});

it('a hold is taken only when the claims that have not seen it are committed, whose leases are then counted', async () => {
  const [api] = await twoProcesses();
  const { partner } = api.t;
  await api.t.createSession();
  const now = { test: api.t.gate.clock.now('test'), live: 0 };
  const lock = `hashtextextended('"${schema}".claim_deliveries/first', 0)`;
  const other = await poolOf(0).connect();
  const unlock = () => other.query(`select pg_advisory_unlock_all()`);
  onTestFinished(async () => {
    await unlock();
    other.release();
  });
  await other.query(`select pg_advisory_lock(${lock})`);
  const request = {
    lane: 'first',
    now,
    skipsStepped: true,
    limit: 9,
    perEndpoint: 9,
    leaseMs: 60_000,
    token: 't',
  } as const;
  const claimed = storeOf(1).claim('delivery', request);
  await expect.poll(() => waitingFor()).toBe(1);
  let isHeld = false;
  const held = holdsOf(2)
    .hold(partner.id, 'a', 60_000)
    .finally(() => (isHeld = true));
  await expect.poll(() => waitingFor()).toBe(2);
  expect(isHeld).toBe(false);
  await unlock();
  expect((await claimed).length).toBe(1);
  expect(await held).toBe('new');
  expect(await holdsOf(2).isWorkedOn(partner.id, now.test)).toBe(true);
  expect(await holdsOf(2).isWorkedOn(partner.id, now.test + 60_000)).toBe(false);
  expect(await storeOf(1).claim('delivery', { ...request, now: { ...now, test: now.test + HOUR } })).toEqual([]);
});

it('claims leave out sandboxes that are held, whether they are ahead or not, and only claims that ask for it', async () => {
  const holds = holdsOf(0);
  const legs = postgresLegsStore(poolOf(1), { schema });
  const document = (partnerId: string) => ({
    ...{ kind: 'operation', id: `of-${partnerId}`, version: 1, status: 'running', dueAt: 30 },
    body: { partnerId },
  });
  const partners = ['ahead', 'held', 'held_ahead', 'other'];
  await legs.commit({ documents: partners.map(document), entries: [] });
  await holds.hold('held', 'a', 60_000);
  await holds.hold('held_ahead', 'a', 60_000);
  const sandboxes = new Map([
    ['ahead', 100],
    ['held_ahead', 100],
  ]);
  const claim = { kind: 'operation', sandboxes, leaseMs: 5, limit: 9, skipsStepped: true };
  const ids = async (now: number, asked: object = {}) =>
    (await legs.claimDue({ ...claim, ...asked, now })).map(({ id }) => id).toSorted();
  expect(await ids(10)).toEqual(['of-ahead']);
  expect(await ids(40)).toEqual(['of-other']);
  await holds.release('held', 'a');
  expect(await ids(40)).toEqual(['of-held']);
  expect(await ids(40, { skipsStepped: false })).toEqual(['of-held_ahead']);
  expect(await ids(9, { sandboxes: new Map() })).toEqual([]);

  const store = storeOf(1);
  for (const partnerId of partners) {
    const scope = { partnerId, mode: 'test' } as const;
    const task = rows.aTask({ scope, at: rows.T0, dueAt: rows.T0 + 30 });
    await store.commit({ ...emptyChange(scope, rows.T0), tasks: [task] });
  }
  await holds.hold('held', 'a', 60_000);
  const ahead = new Map([...sandboxes].map(([partnerId, by]) => [partnerId, rows.T0 + by]));
  const ofTasks = async (by: number, skipsStepped: boolean) => {
    const now = { test: rows.T0 + by, live: 0 };
    const request = { now, sandboxes: ahead, skipsStepped, limit: 9, leaseMs: 60_000, token: `t-${by}` };
    return (await store.claim('task', request)).map(({ partnerId }) => partnerId).toSorted();
  };
  expect(await ofTasks(10, true)).toEqual(['ahead']);
  expect(await ofTasks(40, true)).toEqual(['other']);
  expect(await ofTasks(41, false)).toEqual(['held', 'held_ahead']);
});

async function holdCount(): Promise<number> {
  const { rows: found } = await poolOf(0).query(
    `select 1 from "${schema}".settings where name like 'test_clock_stepping/%'`,
  );
  return found.length;
}

/** Statements of this schema that wait for an advisory lock. */
async function waitingFor(): Promise<number> {
  const { rows: found } = await poolOf(0).query(
    `select 1 from pg_stat_activity where wait_event = 'advisory' and query like $1 and pid <> pg_backend_pid()`,
    [`%${schema}%`],
  );
  return found.length;
}
