import { memoryStore } from '@gateramp/adapters-store-memory';
import { keyId } from '@gateramp/core/domain';
import { emptyChange, type Store } from '@gateramp/core/ports';
import fc from 'fast-check';
import { createTestGate, TEST_PARTNER } from '@gateramp/testing';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../tests/depth.js';
import { ask, signedIn, type TestConsole, testConsole } from './console.js';

const DAY_MS = 86_400_000;
const POOL = { id: 'usdc-eur', asset: 'USDC', network: 'ethereum', currency: 'EUR', spreadBps: 10, feeBps: 5 };

interface Approval {
  readonly id: string;
  readonly digest: string;
  readonly state: string;
  readonly change: object;
  readonly can: { readonly approve: boolean; readonly decline: boolean; readonly collect: boolean };
}

/** A console in live mode whose time the test moves. A header identifies operators. */
async function liveConsole(ports: { readonly store?: Store } = {}) {
  let now = Date.UTC(2030, 0, 1);
  const clock = { now: () => now, wall: () => now, advanceTo: async () => undefined };
  const { gate, store } = await createTestGate({ ports: { ...ports, testClock: clock } });
  await gate.admin.savePool(TEST_PARTNER.id, POOL);
  const console = testConsole(gate, {
    authorize: (request) => {
      const [actor, role = 'admin'] = request.headers.get('x-actor')?.split('/') ?? [];
      return actor === undefined ? null : { actor, roles: [role as 'admin'], partners: 'all' };
    },
  });
  return { console, store, pass: (ms: number) => (now += ms) };
}

const as = (actor: string) => ({ headers: { 'x-actor': actor } });
const LIVE = `partner=${TEST_PARTNER.id}&mode=live`;

async function requested(console: TestConsole, actor: string, path = `/keys?${LIVE}`, body: object = KEY) {
  const answer = await ask(console, path, { method: 'POST', body: { ...body, reason: 'ticket 7' }, ...as(actor) });
  expect(answer.status).toBe(202);
  return (await answer.json()) as Approval;
}

const KEY = { type: 'secret', scopes: ['events:read'] };
const MOVEMENT = { currency: 'EUR', amount: '500.00', reference: 'bank-1' };
const MOVES = `/partners/${TEST_PARTNER.id}/pools/${POOL.id}/movements`;

const decide = (console: TestConsole, verb: string, { id, digest }: Approval, actor: string) =>
  ask(console, `/approvals/${id}/${verb}`, {
    method: 'POST',
    body: verb === 'approve' ? { digest } : verb === 'decline' ? { reason: 'no' } : {},
    ...as(actor),
  });

const codeOf = async (answer: Response): Promise<unknown> => ((await answer.json()) as { code?: unknown }).code;

const keysOf = async ({ gate }: TestConsole) =>
  (await gate.admin.listKeys(TEST_PARTNER.id)).filter(({ key }) => key.mode === 'live').length;

describe('a live key', () => {
  it('is created after a second person approves it, and shown once, to its requester', async () => {
    const { console, store } = await liveConsole();
    const before = await keysOf(console);
    const request = await requested(console, 'olga');
    expect(request).toMatchObject({ state: 'pending', change: { params: {}, body: KEY }, can: { approve: false } });
    expect(await keysOf(console)).toBe(before);

    expect(await codeOf(await decide(console, 'approve', request, 'olga'))).toBe('second_person_required');
    expect(await codeOf(await decide(console, 'collect', request, 'olga'))).toBe('approval_closed');
    const approved = await decide(console, 'approve', request, 'paul');
    expect([approved.status, await approved.json()]).toMatchObject([200, { state: 'approved' }]);
    expect(await keysOf(console)).toBe(before);

    expect((await decide(console, 'collect', request, 'paul')).status).toBe(404);
    const race = await Promise.all(Array.from({ length: 4 }, () => decide(console, 'collect', request, 'olga')));
    expect(race.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409]);
    const won = race.find(({ status }) => status === 200);
    const { text = '' } = won === undefined ? {} : ((await won.json()) as { text?: string });
    expect(text).toMatch(/^sk_live_/);
    expect(await keysOf(console)).toBe(before + 1);

    const [entry] = (await console.gate.admin.audit.list()).filter(({ action }) => action === 'key.issue');
    expect(entry).toMatchObject({ actor: { type: 'operator', id: 'olga' } });
    expect(entry?.reason).toBe(`ticket 7 (approved by paul, approval ${request.id})`);
    expect(await console.gate.admin.audit.verify()).toMatchObject({ isIntact: true });

    const page = { start: { kind: 'newest' }, limit: 10 } as const;
    const filter = { group: null, createdAfter: null, createdBefore: null };
    const rows = await store.list('document', { partnerId: '', mode: 'live' }, 'console_approval', filter, page);
    expect(JSON.stringify(rows)).toContain(request.id);
    expect(JSON.stringify(rows)).not.toContain(text);
  });

  it.each([
    { dies: 'before the key exists', answers: [500, 200] },
    { dies: 'after the key was stored', answers: [500, 409] },
  ])('is made once, and its approval spent, if the process dies $dies', async ({ dies, answers }) => {
    const memory = memoryStore();
    let isDying = false;
    const save: Store['save'] = async (noun, row, audit) => {
      if (!isDying || noun !== 'key') return memory.save(noun, row, audit);
      isDying = false;
      if (dies.startsWith('after')) await memory.save(noun, row, audit);
      throw new Error('The process died.');
    };
    const { console } = await liveConsole({ store: { ...memory, save } });
    const before = await keysOf(console);
    const request = await requested(console, 'olga');
    await decide(console, 'approve', request, 'paul');
    isDying = true;
    const statuses: number[] = [];
    for (const _ of answers) statuses.push((await decide(console, 'collect', request, 'olga')).status);
    expect(statuses).toEqual(answers);
    expect(await keysOf(console)).toBe(before + 1);
    expect((await decide(console, 'collect', request, 'olga')).status).toBe(409);
    expect((await console.gate.console.approvals.find(request.id))?.state).toBe('done');
    expect(await keysOf(console)).toBe(before + 1);
  });

  it('try_again: stays approved if other changes overtake it, and can be collected again', async () => {
    const memory = memoryStore();
    let isOvertaken = false;
    const save: Store['save'] = async (noun, row, audit) => {
      if (!isOvertaken || noun !== 'key') return memory.save(noun, row, audit);
      isOvertaken = false;
      return 'stale';
    };
    const { console } = await liveConsole({ store: { ...memory, save } });
    const request = await requested(console, 'olga');
    await decide(console, 'approve', request, 'paul');
    isOvertaken = true;
    const answer = await decide(console, 'collect', request, 'olga');
    expect([answer.status, await codeOf(answer)]).toEqual([503, 'try_again']);
    expect((await decide(console, 'collect', request, 'olga')).status).toBe(200);
  });

  it('validation_failed: is refused without a request for approval if an allowed IP is not a network', async () => {
    const { console } = await liveConsole();
    const body = { ...KEY, allowed_ips: ['10.0.0.0/33'], reason: 'ticket 7' };
    const answer = await ask(console, `/keys?${LIVE}`, { method: 'POST', body, ...as('olga') });
    expect([answer.status, await codeOf(answer)]).toEqual([400, 'validation_failed']);
    expect(await console.gate.console.approvals.list()).toEqual([]);
  });

  it('not_found: an approved change of an operation that this version does not have', async () => {
    const { console } = await liveConsole();
    const { approvals } = console.gate.console.as({ type: 'operator', id: 'olga' }, { reason: 'ticket 7' });
    const request = await approvals.request({
      operation: 'removedOperation',
      partnerId: TEST_PARTNER.id,
      mode: 'live',
      change: { params: {}, body: {} },
      reason: 'ticket 7',
      role: 'admin',
      isCollected: false,
    });
    const answer = await decide(console, 'approve', request as unknown as Approval, 'paul');
    expect([answer.status, await answer.json()]).toMatchObject([
      404,
      { code: 'not_found', message: 'This version of the console has no operation removedOperation.' },
    ]);
  });

  it('of test mode requires no second person', async () => {
    const { console } = await liveConsole();
    const answer = await ask(console, `/keys?partner=${TEST_PARTNER.id}&mode=test`, {
      method: 'POST',
      body: KEY,
      ...as('olga'),
    });
    expect(answer.status).toBe(201);
  });
});

describe('the expiry of a live key', () => {
  const at = (day: number) => new Date(Date.UTC(2030, 0, day)).toISOString();

  async function expiring(ports: Parameters<typeof liveConsole>[0] = {}) {
    const { console } = await liveConsole(ports);
    const key = await console.gate.admin.issueKey(TEST_PARTNER.id, {
      mode: 'live',
      type: 'secret',
      expiresAt: Date.UTC(2030, 0, 20),
    });
    const path = `/keys/${keyId(key)}/expire?${LIVE}`;
    const expire = (day: number, actor = 'olga') =>
      ask(console, path, { method: 'POST', body: { at: at(day), reason: 'ticket 8' }, ...as(actor) });
    const stored = async () =>
      (await console.gate.admin.listKeys(TEST_PARTNER.id)).find((one) => one.key.hash === key.hash)?.key;
    return { console, key, path, expire, stored };
  }

  it('is shortened, and the key revoked, by one person at once', async () => {
    const { console, key, expire, stored } = await expiring();
    expect((await expire(10)).status).toBe(200);
    expect((await stored())?.expiresAt).toBe(Date.UTC(2030, 0, 10));
    const revoked = await ask(console, `/keys/${keyId(key)}/revoke?${LIVE}`, {
      method: 'POST',
      body: { reason: 'leaked' },
      ...as('olga'),
    });
    expect(revoked.status).toBe(200);
    expect((await stored())?.revokedAt).not.toBeNull();
    // An expiry no longer has any effect, so there is nothing to approve.
    expect((await expire(30)).status).toBe(200);
    expect((await stored())?.expiresAt).toBe(Date.UTC(2030, 0, 10));
  });

  it('moves later only after a second person approves it, also once it has passed', async () => {
    const { console, path, expire, stored } = await expiring();
    expect((await expire(1)).status).toBe(200);
    const request = await requested(console, 'olga', path, { at: at(25) });
    expect((await stored())?.expiresAt).toBe(Date.UTC(2030, 0, 1));
    expect(await codeOf(await decide(console, 'approve', request, 'olga'))).toBe('second_person_required');
    const approved = await decide(console, 'approve', request, 'paul');
    expect([approved.status, await approved.json()]).toMatchObject([200, { state: 'done' }]);
    expect((await stored())?.expiresAt).toBe(Date.UTC(2030, 0, 25));
  });

  it('is given to a key without one by one person, and moved later in test mode', async () => {
    const { console } = await liveConsole();
    const live = await console.gate.admin.issueKey(TEST_PARTNER.id, { mode: 'live', type: 'secret' });
    const test = await console.gate.admin.issueKey(TEST_PARTNER.id, { mode: 'test', type: 'secret', expiresAt: 1 });
    for (const key of [live, test]) {
      const path = `/keys/${keyId(key)}/expire?partner=${TEST_PARTNER.id}&mode=${key.mode}`;
      const answer = await ask(console, path, { method: 'POST', body: { at: at(20), reason: 'x' }, ...as('olga') });
      expect([key.mode, answer.status]).toEqual([key.mode, 200]);
    }
  });

  it('try_again: another person shortened it after the check whether one person is enough', async () => {
    const inner = memoryStore();
    let shorten: (() => Promise<unknown>) | null = null;
    const store = {
      ...inner,
      listKeys: async (partnerId: string) => {
        const read = await inner.listKeys(partnerId);
        const overtaking = shorten;
        shorten = null;
        await overtaking?.();
        return read;
      },
    };
    const { console, key, expire, stored } = await expiring({ store });
    shorten = () => console.gate.admin.expireKey(key.hash, Date.UTC(2030, 0, 5));
    const answer = await expire(10);
    expect([answer.status, await codeOf(answer)]).toEqual([503, 'try_again']);
    expect((await stored())?.expiresAt).toBe(Date.UTC(2030, 0, 5));
    // The next look sees that it takes a second person.
    expect((await expire(10)).status).toBe(202);
  });

  it('never moves later by one person, however requests of one person race', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 28 }), { minLength: 2, maxLength: 6 }), async (days) => {
        const { expire, stored } = await expiring();
        const answers = await Promise.all(days.map((day, turn) => expire(day, `person ${turn}`)));
        const done = days.filter((_, turn) => answers[turn]?.status === 200);
        expect((await stored())?.expiresAt).toBe(Date.UTC(2030, 0, Math.min(20, ...done)));
        // A refused one is either kept for a second person or told to look again.
        for (const { status } of answers) expect([200, 202, 503]).toContain(status);
      }),
      { numRuns: runs(10, 100) },
    );
  });
});

describe('the second person', () => {
  it('second_person_required: cannot be the requester in another session or with different capitalisation', async () => {
    const { console } = await liveConsole();
    const cookies = [];
    for (const actor of ['ada@shop.example', 'ada@shop.example', 'Ada@Shop.example', 'ben@shop.example'])
      cookies.push(await signedIn(console, TEST_PARTNER.id, { mode: 'live', role: 'admin', actor }));
    const [own = '', other = '', capital = '', second = ''] = cookies;
    const asked = await ask(console, '/keys', { method: 'POST', cookie: own, body: { ...KEY, reason: 'x' } });
    const { id, digest } = (await asked.json()) as Approval;
    const approve = (cookie: string) =>
      ask(console, `/approvals/${id}/approve`, { method: 'POST', cookie, body: { digest } });
    for (const cookie of [own, other, capital]) {
      const refused = await approve(cookie);
      expect([refused.status, await codeOf(refused)]).toEqual([403, 'second_person_required']);
    }
    expect((await approve(second)).status).toBe(200);
  });

  it('second_person_required: cannot be related to the requester by invitations', async () => {
    const { console } = await liveConsole();
    const ada = await signedIn(console, TEST_PARTNER.id, { mode: 'live', role: 'admin', actor: 'ada' });
    const enter = async (cookie: string, actor: string): Promise<string> => {
      const body = { role: 'admin', actor, reason: 'x' };
      const made = await ask(console, '/team/invites', { method: 'POST', cookie, body });
      const code = ((await made.json()) as { url: string }).url.split('#code=')[1];
      const opened = await ask(console, '/session', { method: 'POST', body: { code } });
      return (opened.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    };
    const invited = await enter(ada, 'eve');
    const next = await enter(invited, 'eva');
    const sibling = await enter(ada, 'evi');
    const independent = await signedIn(console, TEST_PARTNER.id, { mode: 'live', role: 'admin', actor: 'ben' });
    for (const [requester, others] of [
      [ada, [invited, next]],
      [invited, [ada, next, sibling]],
      [next, [ada, invited, sibling]],
    ] as const) {
      const asked = await ask(console, '/keys', { method: 'POST', cookie: requester, body: { ...KEY, reason: 'x' } });
      const { id, digest } = (await asked.json()) as Approval;
      const approve = (cookie: string) =>
        ask(console, `/approvals/${id}/approve`, { method: 'POST', cookie, body: { digest } });
      for (const cookie of others) expect(await codeOf(await approve(cookie))).toBe('second_person_required');
      expect((await approve(independent)).status).toBe(200);
    }
  });

  it('insufficient_role: must have the role that the change requires, and access to the partner and mode', async () => {
    const { console } = await liveConsole();
    const request = await requested(console, 'olga');
    for (const verb of ['approve', 'decline'])
      expect(await codeOf(await decide(console, verb, request, 'otto/operator'))).toBe('insufficient_role');
    const other = await console.gate.admin.createPartner({ name: 'Bolt', allowedOrigins: [], liveEnabled: true });
    for (const [partner, mode] of [
      [other.id, 'live'],
      [TEST_PARTNER.id, 'test'],
    ] as const) {
      const cookie = await signedIn(console, partner, { mode, role: 'admin', actor: 'bea' });
      const { data } = (await (await ask(console, '/approvals', { cookie })).json()) as { data: unknown[] };
      expect(data).toEqual([]);
      const body = { digest: request.digest };
      const answer = await ask(console, `/approvals/${request.id}/approve`, { method: 'POST', cookie, body });
      expect(answer.status).toBe(404);
    }
  });

  it('approval_changed: approves exactly the change that was shown, by its digest', async () => {
    const { console, store } = await liveConsole();
    const [request, other] = [
      await requested(console, 'olga'),
      await requested(console, 'olga', undefined, { type: 'publishable' }),
    ];
    const mixed = { ...request, digest: other.digest };
    expect(await codeOf(await decide(console, 'approve', mixed, 'paul'))).toBe('approval_changed');

    // Someone who can write to the database changes what was requested.
    const scope = { partnerId: '', mode: 'live' } as const;
    const row = await store.find('document', scope, 'console_approval', request.id);
    if (row === null) throw new Error('The approval is not stored.');
    const body = row.body.replace('events:read', '*') as typeof row.body;
    const write = { row: { ...row, version: row.version + 1, body }, expectedVersion: row.version };
    await store.commit({ ...emptyChange(scope, 0), documents: [write] });
    expect(await codeOf(await decide(console, 'approve', request, 'paul'))).toBe('approval_changed');
  });
});

describe('the balance of a pool', () => {
  it('moves once, after a second operator approves it', async () => {
    const { console } = await liveConsole();
    const request = await requested(console, 'olga/operator', MOVES, MOVEMENT);
    const users = await signedIn(console, TEST_PARTNER.id, { mode: 'live', role: 'admin', actor: 'ada' });
    const body = { digest: request.digest };
    const refused = await ask(console, `/approvals/${request.id}/approve`, { method: 'POST', cookie: users, body });
    expect(refused.status).toBe(404);
    const balance = async () => {
      const [pool] = await console.gate.admin.listPools(TEST_PARTNER.id);
      return pool?.balances.find(({ currency }) => currency === 'EUR')?.available;
    };
    expect(await balance()).toBe('0');
    const race = await Promise.all([1, 2, 3].map(() => decide(console, 'approve', request, 'paul/operator')));
    expect(race.some(({ status }) => status === 200)).toBe(true);
    expect(await balance()).toBe('500');
    const shown = await ask(console, `/approvals/${request.id}`, as('paul/operator'));
    expect(await shown.json()).toMatchObject({
      state: 'done',
      requested_by: { id: 'olga' },
      decided_by: { id: 'paul' },
    });
  });

  it('validation_failed: is refused without a request for approval if the pool or currency is unknown', async () => {
    const { console } = await liveConsole();
    for (const [path, body, status] of [
      [MOVES, { ...MOVEMENT, currency: 'USD' }, 400],
      [MOVES.replace(POOL.id, 'other'), MOVEMENT, 404],
      [MOVES.replace(TEST_PARTNER.id, 'other'), MOVEMENT, 404],
    ] as const) {
      const answer = await ask(console, path, { method: 'POST', body: { ...body, reason: 'x' }, ...as('olga') });
      expect([path, answer.status]).toEqual([path, status]);
    }
    expect(await console.gate.console.approvals.list()).toEqual([]);
  });

  it.each([
    ['exceeds the available balance', { ...MOVEMENT, reference: 'bank-2', amount: '-500.01' }],
    ['was already used with another amount', { ...MOVEMENT, amount: '1.00' }],
  ])('validation_failed: an approved movement that %s fails with this note', async (note, movement) => {
    const { console } = await liveConsole();
    await decide(console, 'approve', await requested(console, 'olga', MOVES, MOVEMENT), 'paul');
    const request = await requested(console, 'olga', MOVES, movement);
    const refused = await decide(console, 'approve', request, 'paul');
    expect([refused.status, await codeOf(refused)]).toEqual([400, 'validation_failed']);
    const shown = await ask(console, `/approvals/${request.id}`, as('paul'));
    expect(await shown.json()).toMatchObject({ state: 'failed', note: expect.stringContaining(note) });
    const [pool] = await console.gate.admin.listPools(TEST_PARTNER.id);
    expect(pool?.balances.find(({ currency }) => currency === 'EUR')?.available).toBe('500');
  });
});

describe('a request', () => {
  it('has one outcome, however its decisions race and whenever it expires', async () => {
    const step = fc.oneof(
      fc.record({
        verb: fc.constantFrom('approve', 'decline', 'collect'),
        actor: fc.constantFrom('olga', 'paul', 'pia'),
      }),
      fc.record({ pass: fc.constantFrom(1, DAY_MS, DAY_MS + 1) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { maxLength: 4 }), async (rounds) => {
        const { console, pass } = await liveConsole();
        const before = await keysOf(console);
        const request = await requested(console, 'olga');
        const taken: string[] = [];
        let collected = 0;
        for (const round of rounds)
          await Promise.all(
            round.map(async (one) => {
              if ('pass' in one) return void pass(one.pass);
              const { status } = await decide(console, one.verb, request, one.actor);
              if (status !== 200) return;
              if (one.verb === 'collect') collected += 1;
              else taken.push(`${one.verb} by ${one.actor}`);
            }),
          );
        expect(taken.length).toBeLessThanOrEqual(1);
        expect(taken).not.toContain('approve by olga');
        expect(collected).toBeLessThanOrEqual(taken[0]?.startsWith('approve') === true ? 1 : 0);
        expect(await keysOf(console)).toBe(before + collected);
      }),
      { numRuns: runs(15, 150) },
    );
  });

  it('approval_closed: expires after a day', async () => {
    const { console, pass } = await liveConsole();
    const [first, second] = [await requested(console, 'olga'), await requested(console, 'olga')];
    pass(DAY_MS);
    expect((await decide(console, 'approve', first, 'paul')).status).toBe(200);
    pass(1);
    expect(await codeOf(await decide(console, 'approve', second, 'paul'))).toBe('approval_closed');
    const shown = await ask(console, `/approvals/${second.id}`, as('paul'));
    expect(await shown.json()).toMatchObject({ state: 'expired', can: { approve: false, decline: false } });
  });

  it('approval_closed: can be withdrawn by its requester', async () => {
    const { console } = await liveConsole();
    const request = await requested(console, 'olga');
    expect(await (await decide(console, 'decline', request, 'olga')).json()).toMatchObject({ state: 'declined' });
    for (const verb of ['approve', 'decline', 'collect']) {
      const refused = await decide(console, verb, request, verb === 'collect' ? 'olga' : 'paul');
      expect([verb, refused.status, await codeOf(refused)]).toEqual([verb, 409, 'approval_closed']);
    }
  });
});
