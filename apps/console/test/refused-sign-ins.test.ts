import { memoryStore } from '@gateramp/adapters-store-memory';
import { createTestGate, TEST_PARTNER } from '@gateramp/testing';
import { describe, expect, it, vi } from 'vitest';
import type { Gate } from '../src/server/gate.js';
import type { Operator, PasskeyCeremonies } from '../src/index.js';
import { RefusedSignIns } from '../src/server/refused-sign-ins.js';
import { ask, signedIn, type TestConsole, testConsole } from './console.js';

const HOUR = 3_600_000;

const entriesOf = (gate: Gate, limit = 100) => gate.admin.audit.list({ action: 'console_sign_in.refuse', limit });

/** The entries, newest first, once there are that many. */
async function until(gate: Gate, count: number) {
  await vi.waitFor(async () => expect(await entriesOf(gate)).toHaveLength(count));
  return entriesOf(gate);
}

const post = (console: TestConsole, path: string, body: object) => ask(console, path, { method: 'POST', body });

const passkeysOf = (operator: Awaited<ReturnType<PasskeyCeremonies['identify']>>): PasskeyCeremonies => ({
  request: async () => ({}),
  identify: async () => operator,
  creation: async () => null,
  register: async () => false,
  portalCreation: async () => ({}),
  portalPasskey: async () => null,
});

describe('a refused sign-in is in the audit trail', () => {
  it('by a link that was used: the access that it names, and no part of its secret', async () => {
    const { gate } = await createTestGate();
    const console = testConsole(gate);
    for (const partnerId of [TEST_PARTNER.id, null]) {
      const invited = await gate.console.invite(partnerId, {
        actor: 'ada',
        ...(partnerId !== null && { mode: 'test' as const }),
      });
      expect((await post(console, '/session', { code: invited.code })).status).toBe(201);
      expect((await post(console, '/session', { code: invited.code })).status).toBe(401);
      const [entry] = await until(gate, partnerId === null ? 2 : 1);
      expect(entry).toMatchObject({
        actor: { type: partnerId === null ? 'operator' : 'partner_user', id: 'unknown' },
        target: { type: 'console_sign_in', id: 'link' },
        ...{ partnerId, mode: partnerId === null ? null : 'test' },
        reason: expect.stringContaining(`It names the active access ${invited.id} of ada`),
      });
      expect(JSON.stringify(entry)).not.toContain(invited.code.split('.').at(-1));
    }
    const { data } = (await (
      await ask(console, '/audit?action=console_sign_in', { cookie: await signedIn(console, TEST_PARTNER.id) })
    ).json()) as { readonly data: readonly object[] };
    expect(data).toHaveLength(1);
    expect(await gate.admin.audit.verify()).toMatchObject({ isIntact: true });
  });

  it.each(['nonsense', `gci_${'0'.repeat(24)}..${'a'.repeat(43)}`, `gci_${'0'.repeat(24)}.p%00.x`])(
    'by a link that names nothing: %s',
    async (code) => {
      const { gate } = await createTestGate();
      const console = testConsole(gate);
      expect((await post(console, '/session/link', { code })).status).toBe(401);
      const [entry] = await until(gate, 1);
      expect(entry).toMatchObject({ actor: { id: 'unknown' }, partnerId: null });
      expect(JSON.stringify(entry)).not.toContain(code);
    },
  );

  it('by a passkey, by its registration, and by someone to whom the host gives no role', async () => {
    const { gate } = await createTestGate();
    const olga = { actor: 'olga', role: 'admin', proof: 'p', reason: 'passkey' } as const;
    const unknown = testConsole(gate, { passkeys: passkeysOf(null) });
    const known = testConsole(gate, { passkeys: passkeysOf(olga) });
    await post(unknown, '/passkeys/session', { answer: {} });
    await post(known, '/passkeys/session', { answer: {} });
    await post(known, '/passkeys/session', { answer: {} });
    await post(known, '/passkeys/enrolment', { code: 'gce_x' });
    await post(known, '/passkeys', { code: 'gce_x', answer: {} });
    const eve: Operator = { actor: 'eve', roles: [], partners: 'all' };
    const hosted = testConsole(gate, { authorize: () => eve });
    // A page asks many times; a visitor whom the host does not know is no sign-in.
    for (let nth = 0; nth < 3; nth += 1) expect((await ask(hosted, '/me')).status).toBe(401);
    expect((await ask(known, '/me')).status).toBe(401);
    const entries = await until(gate, 5);
    expect(entries.map(({ target, actor }) => `${target.id} ${actor.id}`).toReversed()).toEqual([
      ...['passkey unknown', 'passkey olga', 'enrolment unknown', 'enrolment unknown', 'authorize eve'],
    ]);
  });
});

describe('strangers cannot fill the audit trail', () => {
  it('ten refusals of each method are entries in an hour of all processes, and each process says how many more there were', async () => {
    const { gate } = await createTestGate();
    let now = gate.clock.now('live');
    const timers: (() => void)[] = [];
    const timing = { now: () => now, later: (run: () => void) => void timers.push(run) };
    const processes = [new RefusedSignIns(gate, timing), new RefusedSignIns(gate, timing)];
    for (const [nth, one] of processes.entries()) {
      for (let count = 0; count < 500; count += 1) {
        one.note({ method: 'link', reason: 'wrong' });
        if (count % 7 === 0) await one.idle();
      }
      await one.idle();
      expect(await entriesOf(gate)).toHaveLength(10);
      expect(timers).toHaveLength(nth + 1);
    }
    for (const one of processes) {
      one.note({ method: 'passkey', reason: 'wrong' });
      await one.idle();
    }
    expect(await entriesOf(gate)).toHaveLength(12);
    now += HOUR;
    for (const run of timers) run();
    for (const one of processes) await one.idle();
    const summaries = (await entriesOf(gate)).filter(({ reason }) => reason?.includes('more refused') === true);
    expect(summaries.map(({ reason }) => reason?.split(' ')[0]).toSorted()).toEqual(['490', '500']);
    now += HOUR;
    processes[0]?.note({ method: 'link', reason: 'wrong' });
    await processes[0]?.idle();
    expect(await entriesOf(gate)).toHaveLength(15);
  });

  it('what could not be written is counted, and no sign-in waits for a store that hangs', async () => {
    const store = memoryStore();
    let state: 'works' | 'fails' | 'hangs' = 'works';
    const { gate } = await createTestGate({
      ports: {
        store: {
          ...store,
          listAudit: async (request) => {
            if (state === 'fails') throw new Error('The disk is full.');
            return state === 'hangs' ? new Promise<never>(() => undefined) : store.listAudit(request);
          },
        },
      },
    });
    const console = testConsole(gate);
    let now = gate.clock.now('live');
    const refusals = new RefusedSignIns(gate, { now: () => now, later: () => undefined });
    state = 'fails';
    for (let count = 0; count < 3; count += 1) refusals.note({ method: 'oidc', reason: 'wrong' });
    await refusals.idle();
    state = 'works';
    now += HOUR;
    refusals.note({ method: 'oidc', reason: 'wrong' });
    await refusals.idle();
    const reasons = (await entriesOf(gate)).map(({ reason }) => reason);
    expect(reasons).toEqual(['wrong', expect.stringContaining('3 more refused')]);
    state = 'hangs';
    for (let count = 0; count < 50; count += 1)
      expect((await post(console, '/session', { code: 'nonsense' })).status).toBe(401);
  });
});
