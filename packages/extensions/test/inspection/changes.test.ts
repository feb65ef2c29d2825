import { rows } from '@gateramp/conformance';
import { emptyChange, type Marks, type MarksRequest } from '@gateramp/core/ports';
import { createTestGate, TEST_KEYS, TEST_PARTNER } from '@gateramp/testing';
import { describe, expect, it } from 'vitest';
import { type ChangeTopic, Changes } from '../../src/inspection/changes.js';

const ACME = { partnerId: 'acme', mode: 'test' } as const;
const BOLT = { partnerId: 'bolt', mode: 'test' } as const;
const NOTHING = { events: null, deliveries: '', settings: 0 };

/** Changes over marks and a clock that the test moves. */
function watched() {
  let nowMs = 0;
  const timers = new Set<{ at: number; run: () => void }>();
  const reads: number[] = [];
  const state = { marks: new Map<string, Marks['scopes'][number]>(), audit: 0, work: 'a', fails: false };
  const errors: unknown[] = [];
  const changes = new Changes({
    read: async ({ scopes, work }: MarksRequest) => {
      reads.push(nowMs);
      if (state.fails) throw new Error('down');
      return {
        scopes: scopes.map(({ partnerId }) => state.marks.get(partnerId) ?? NOTHING),
        audit: state.audit,
        work: work ? state.work : null,
      };
    },
    later: (run, delayMs) => {
      const timer = { at: nowMs + delayMs, run };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    isAccess: ({ type }) => type === 'console_access',
    onError: (error) => errors.push(error),
  });
  /** Also runs what is due now. */
  const pass = async (ms: number): Promise<void> => {
    const until = nowMs + ms;
    for (;;) {
      const [next] = [...timers].filter(({ at }) => at <= until).toSorted((one, other) => one.at - other.at);
      if (next === undefined) break;
      timers.delete(next);
      nowMs = next.at;
      next.run();
      // A read is settled within a few turns.
      await new Promise(setImmediate);
    }
    nowMs = until;
  };
  const follow = (scope: typeof ACME | typeof BOLT | null) => {
    const seen: ChangeTopic[][] = [];
    const access: number[] = [];
    const end = changes.follow(scope, {
      onChange: (topics) => seen.push([...topics]),
      onAccess: () => access.push(nowMs),
    });
    return { seen, access, end };
  };
  return { changes, state, reads, errors, pass, follow, isIdle: () => timers.size === 0 };
}

const MINUTE = 60_000;

describe('what other processes change', () => {
  it('reads nothing without followers', async () => {
    const { reads, pass, follow, isIdle } = watched();
    await pass(MINUTE);
    const { end } = follow(ACME);
    await pass(MINUTE);
    end();
    const before = reads.length;
    await pass(60 * MINUTE);
    expect(before).toBeGreaterThan(0);
    expect(reads.length).toBe(before);
    expect(isIdle()).toBe(true);
  });

  it('is read once for all followers, ever more rarely down to once a minute, and often again after a change', async () => {
    const { state, reads, pass, follow } = watched();
    const followers = [follow(ACME), follow(ACME), follow(BOLT), follow(null)];
    await pass(2 * MINUTE);
    expect(reads).toEqual([0, 4_000, 12_000, 28_000, 60_000, 120_000]);
    reads.length = 0;
    await pass(60 * MINUTE);
    expect(reads.length).toBe(60);
    state.marks.set('acme', { ...NOTHING, events: 'e1' });
    await pass(MINUTE);
    reads.length = 0;
    await pass(6_000);
    expect(reads.length).toBeGreaterThan(1);
    expect(followers.map(({ seen }) => seen.length > 0)).toEqual([true, true, false, false]);
  });

  it('is announced to followers of its scope, and an event again for a while, since an older one may be committed later', async () => {
    const { state, pass, follow } = watched();
    const [acme, bolt] = [follow(ACME), follow(BOLT)];
    await pass(MINUTE);
    state.marks.set('acme', { ...NOTHING, events: 'e1' });
    await pass(2 * MINUTE);
    const all = ['sessions', 'transactions', 'events', 'deliveries'];
    expect(acme.seen).toEqual([all, all, all, all, all]);
    state.marks.set('acme', { events: 'e1', deliveries: 'd', settings: 1 });
    await pass(2 * MINUTE);
    expect(acme.seen.at(-1)).toEqual(['deliveries', 'settings']);
    expect(bolt.seen).toEqual([]);
  });

  it('is announced although it is committed after a newer event, of this process or another', async () => {
    const { changes, state, pass, follow } = watched();
    const { seen } = follow(ACME);
    const own = rows.aPartnerEvent(rows.ACME, 0);
    await pass(MINUTE);
    changes.committed({ ...emptyChange(ACME, 0), events: [own] });
    state.marks.set('acme', { ...NOTHING, events: own.id });
    seen.length = 0;
    // The first read finds the own event. Older ones of other processes, which do not change the mark, are committed after it.
    await pass(2_000);
    seen.length = 0;
    const all = ['sessions', 'transactions', 'events', 'deliveries'];
    await pass(15_000);
    // The last one is committed now, as late as a commit can be.
    const before = seen.length;
    await pass(MINUTE);
    expect(before).toBeGreaterThan(0);
    expect(seen.length).toBeGreaterThan(before);
    expect(seen).toEqual(seen.map(() => all));
    const { length } = seen;
    await pass(60 * MINUTE);
    expect(seen.length).toBe(length);
  });

  it('is announced although its place is before the newest event that there was when following began', async () => {
    const { state, pass, follow } = watched();
    state.marks.set('acme', { ...NOTHING, events: 'e1' });
    const { seen } = follow(ACME);
    await pass(0);
    expect(seen).toEqual([]);
    await pass(MINUTE);
    expect(seen.length).toBeGreaterThan(0);
  });

  it('is announced that late while others begin to follow, and while another scope is busy', async () => {
    const { state, pass, follow } = watched();
    const { seen } = follow(ACME);
    follow(BOLT);
    await pass(MINUTE);
    state.marks.set('acme', { ...NOTHING, events: 'e1' });
    await pass(MINUTE);
    seen.length = 0;
    state.marks.set('acme', { ...NOTHING, events: 'e2' });
    while (seen.length === 0) await pass(1_000);
    for (let second = 0; second < 15; second += 1) {
      state.marks.set('bolt', { ...NOTHING, events: String(second) });
      follow(BOLT);
      await pass(1_000);
    }
    const before = seen.length;
    await pass(MINUTE);
    expect(seen.length).toBeGreaterThan(before);
  });

  it('is announced to followers of the installation: partners after an audit entry, and work', async () => {
    const { state, pass, follow } = watched();
    const [acme, all] = [follow(ACME), follow(null)];
    await pass(MINUTE);
    [state.audit, state.work] = [1, 'b'];
    await pass(2 * MINUTE);
    expect(all.seen).toEqual([['partners', 'work']]);
    expect(acme.seen).toEqual([]);
  });

  it('makes every follower look at its access, once at its start and after each audit entry', async () => {
    const { state, pass, follow } = watched();
    const first = follow(ACME);
    await pass(0);
    const second = follow(ACME);
    await pass(MINUTE);
    expect([first.access.length, second.access.length]).toEqual([1, 1]);
    state.audit += 1;
    await pass(2 * MINUTE);
    expect([first.access.length, second.access.length]).toEqual([2, 2]);
  });

  it('is read again, ever more rarely, after a failed read, which hides nothing', async () => {
    const { state, errors, pass, follow } = watched();
    const { seen } = follow(ACME);
    await pass(MINUTE);
    state.fails = true;
    state.marks.set('acme', { ...NOTHING, events: 'e1' });
    await pass(10 * MINUTE);
    expect(errors.length).toBe(10);
    expect(seen).toEqual([]);
    state.fails = false;
    await pass(2 * MINUTE);
    expect(seen.length).toBeGreaterThan(0);
  });
});

describe('what this process changes', () => {
  const scope = { partnerId: TEST_PARTNER.id, mode: 'test' } as const;

  async function following() {
    const test = await createTestGate();
    const other = await test.gate.admin.createPartner({ name: 'Bolt', allowedOrigins: [] });
    const seen = new Map<string, Set<ChangeTopic>>();
    const places = { own: scope, live: { ...scope, mode: 'live' as const }, other: { ...scope, partnerId: other.id } };
    for (const [name, place] of [...Object.entries(places), ['all', null] as const]) {
      const topics = new Set<ChangeTopic>();
      seen.set(name, topics);
      test.gate.admin.followChanges(place, {
        onChange: (given) => given.forEach((topic) => topics.add(topic)),
        onAccess: () => undefined,
      });
    }
    const taken = (): Record<string, readonly ChangeTopic[]> => {
      const found = Object.fromEntries([...seen].map(([name, topics]) => [name, [...topics].toSorted()]));
      for (const topics of seen.values()) topics.clear();
      return Object.fromEntries(Object.entries(found).filter(([, topics]) => topics.length > 0));
    };
    return { ...test, taken };
  }

  it('is announced as soon as it is committed, to followers of its scope', async () => {
    const { gate, request, taken } = await following();
    const made = await gate.sessions.create(scope, {
      amount: '100.00',
      currency: 'EUR',
      return_url: 'https://shop.example/',
    });
    const id = made.isOk() ? made.value.id : '';
    expect(taken()).toMatchObject({ own: expect.arrayContaining(['sessions']) as unknown, all: ['work'] });
    await request('POST', `/v1/test_helpers/gate_sessions/${id}/simulate`, {
      key: TEST_KEYS.secret.test,
      body: { scenario: 'succeed' },
    });
    const { own, ...others } = taken();
    expect(own).toEqual(['deliveries', 'events', 'sessions', 'transactions']);
    expect(Object.keys(others)).toEqual(['all']);
    await gate.webhooks.test(scope);
    await gate.runDue();
    expect(taken()['own']).toContain('deliveries');
  });

  it('is a setting of the scope, and a partner of the installation, if the audit trail records it', async () => {
    const { gate, taken } = await following();
    await gate.admin.issueKey(TEST_PARTNER.id, { mode: 'test', type: 'secret' });
    expect(taken()).toEqual({ own: ['settings'], all: ['partners'] });
    await gate.admin.suspendPartner(TEST_PARTNER.id);
    expect(taken()).toEqual({ own: ['settings'], live: ['settings'], all: ['partners'] });
  });
});
