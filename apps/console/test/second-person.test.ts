import { DAY } from '@gateramp/core/domain';
import { emptyChange } from '@gateramp/core/ports';
import { TEST_PARTNER } from '@gateramp/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../tests/depth.js';
import {
  type Approval,
  as,
  codeOf,
  decide,
  KEY,
  keysOf,
  liveConsole,
  MOVEMENT,
  MOVES,
  paidConsole,
  POOL,
  requested,
} from './approvals.js';
import { ask, signedIn } from './console.js';

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
    const { console, admin } = await liveConsole();
    const request = await requested(console, 'olga/operator', MOVES, MOVEMENT);
    const users = await signedIn(console, TEST_PARTNER.id, { mode: 'live', role: 'admin', actor: 'ada' });
    const body = { digest: request.digest };
    const refused = await ask(console, `/approvals/${request.id}/approve`, { method: 'POST', cookie: users, body });
    expect(refused.status).toBe(404);
    const balance = async () => {
      const [pool] = await admin.listPools(TEST_PARTNER.id);
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
    const { console, admin } = await liveConsole();
    await decide(console, 'approve', await requested(console, 'olga', MOVES, MOVEMENT), 'paul');
    const request = await requested(console, 'olga', MOVES, movement);
    const refused = await decide(console, 'approve', request, 'paul');
    expect([refused.status, await codeOf(refused)]).toEqual([400, 'validation_failed']);
    const shown = await ask(console, `/approvals/${request.id}`, as('paul'));
    expect(await shown.json()).toMatchObject({ state: 'failed', note: expect.stringContaining(note) });
    const [pool] = await admin.listPools(TEST_PARTNER.id);
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
      fc.record({ pass: fc.constantFrom(1, DAY, DAY + 1) }),
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
    pass(DAY);
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

describe('a refund', () => {
  const paidIn = async (mode: 'test' | 'live') => {
    const { console, test, refid } = await paidConsole(mode);
    const read = async () =>
      (await test.gate.transactions.retrieve({ partnerId: TEST_PARTNER.id, mode }, refid))._unsafeUnwrap();
    return { console, refid, read, path: `/transactions/${refid}/refund?partner=${TEST_PARTNER.id}&mode=${mode}` };
  };

  it('in live mode is made once, after a second operator approves it', async () => {
    const { console, path, read } = await paidIn('live');
    const request = await requested(console, 'olga/operator', path, { amount: '20.00', note: 'Damaged item' });
    expect((await read()).refunds).toEqual([]);
    expect(await codeOf(await decide(console, 'approve', request, 'olga/operator'))).toBe('second_person_required');
    await Promise.all([1, 2].map(() => decide(console, 'approve', request, 'paul/operator')));
    expect((await read()).refunds).toMatchObject([{ amount: '20.00', status: 'succeeded', reason: 'Damaged item' }]);
  });

  it.each(['test', 'live'] as const)(
    'of a partner’s user in %s mode is a request that operators decide about',
    async (mode) => {
      const { console, refid, read } = await paidIn(mode);
      const [ada = '', ben = ''] = await Promise.all(
        ['ada', 'ben'].map((actor) => signedIn(console, TEST_PARTNER.id, { mode, role: 'admin', actor })),
      );
      const path = `/transactions/${refid}/refund`;
      const asked = await ask(console, path, {
        method: 'POST',
        cookie: ada,
        body: { amount: '20.00', reason: 'damaged' },
      });
      expect(asked.status).toBe(202);
      const request = (await asked.json()) as Approval;
      const body = { digest: request.digest };
      for (const cookie of [ada, ben]) {
        const refused = await ask(console, `/approvals/${request.id}/approve`, { method: 'POST', cookie, body });
        expect([refused.status, await codeOf(refused)]).toEqual([403, 'insufficient_role']);
      }
      const shown = await ask(console, `/approvals/${request.id}`, { cookie: ben });
      expect(((await shown.json()) as Approval).can).toEqual({ approve: false, decline: false, collect: false });
      expect((await read()).refunds).toEqual([]);
      expect((await decide(console, 'approve', request, 'paul/operator')).status).toBe(200);
      expect((await read()).amount_refunded).toBe('20.00');
      const missing = await ask(console, '/transactions/gtx_none/refund', {
        method: 'POST',
        cookie: ada,
        body: { reason: 'x' },
      });
      expect(missing.status).toBe(404);
    },
  );

  it('of support in live mode is a request that another operator decides about, and that support may withdraw', async () => {
    const { console, path, read } = await paidIn('live');
    const request = await requested(console, 'sam/support', path, { amount: '20.00' });
    for (const verb of ['approve', 'decline'] as const)
      expect([verb, await codeOf(await decide(console, verb, request, 'sue/support'))]).toEqual([
        verb,
        'insufficient_role',
      ]);
    expect((await decide(console, 'decline', request, 'sam/support')).status).toBe(200);
    const again = await requested(console, 'sam/support', path, { amount: '20.00' });
    expect((await read()).refunds).toEqual([]);
    expect((await decide(console, 'approve', again, 'paul/operator')).status).toBe(200);
    expect((await read()).refunds).toMatchObject([{ amount: '20.00', status: 'succeeded' }]);
  });

  it('of support of a partner is a request that operators decide about', async () => {
    const { console, refid, read } = await paidIn('live');
    const cookie = await signedIn(console, TEST_PARTNER.id, { mode: 'live', role: 'support' });
    const body = { amount: '20.00', reason: 'damaged' };
    const asked = await ask(console, `/transactions/${refid}/refund`, { method: 'POST', cookie, body });
    expect(asked.status).toBe(202);
    expect((await decide(console, 'approve', (await asked.json()) as Approval, 'paul/operator')).status).toBe(200);
    expect((await read()).amount_refunded).toBe('20.00');
  });

  it('in test mode is made by one operator, and refused beyond what is left', async () => {
    const { console, path, read } = await paidIn('test');
    const refund = (body: object) =>
      ask(console, path, { method: 'POST', body: { ...body, reason: 'x' }, ...as('olga/developer') });
    expect((await refund({})).status).toBe(200);
    expect((await read()).status).toBe('refunded');
    expect(await codeOf(await refund({}))).toBe('refund_not_possible');
  });
});

describe('the allowed origins', () => {
  const world = async () => {
    const { console } = await liveConsole();
    const read = async () => (await console.gate.admin.findPartner(TEST_PARTNER.id))?.allowedOrigins;
    return { console, read, before: await read() };
  };
  const wanted = { allowed_origins: ['https://shop.example', 'https://evil.example'] };

  it.each(['test', 'live'] as const)(
    'change only after an operator approves the request of a partner’s user in %s mode',
    async (mode) => {
      const { console, read, before } = await world();
      const [ada = '', ben = ''] = await Promise.all(
        ['ada', 'ben'].map((actor) => signedIn(console, TEST_PARTNER.id, { mode, role: 'admin', actor })),
      );
      const put = (body: object) => ask(console, '/domains', { method: 'PUT', cookie: ada, body });
      const asked = await put({ ...wanted, reason: 'new shop' });
      expect(asked.status).toBe(202);
      const request = (await asked.json()) as Approval;
      for (const cookie of [ada, ben]) {
        const body = { digest: request.digest };
        const refused = await ask(console, `/approvals/${request.id}/approve`, { method: 'POST', cookie, body });
        expect([refused.status, await codeOf(refused)]).toEqual([403, 'insufficient_role']);
      }
      expect(await read()).toEqual(before);
      expect((await decide(console, 'approve', request, 'paul/operator')).status).toBe(200);
      expect(await read()).toEqual(wanted.allowed_origins);
      for (const origin of ['https://shop.example/', 'http://shop.example', 'https://*.example', 'https://a;b.example'])
        expect([origin, (await put({ allowed_origins: [origin], reason: 'x' })).status]).toEqual([origin, 400]);
    },
  );

  it.each(['test', 'live'] as const)('are changed by one operator in %s mode', async (mode) => {
    const { console, read } = await world();
    const body = { ...wanted, reason: 'ticket 9' };
    const path = `/domains?partner=${TEST_PARTNER.id}&mode=${mode}`;
    expect((await ask(console, path, { method: 'PUT', body, ...as('olga/operator') })).status).toBe(200);
    expect(await read()).toEqual(wanted.allowed_origins);
  });
});
