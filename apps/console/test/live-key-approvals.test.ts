import { memoryStore } from '@gateramp/adapters-store-memory';
import { keyId } from '@gateramp/core/domain';
import type { Store } from '@gateramp/core/ports';
import { TEST_PARTNER } from '@gateramp/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../tests/depth.js';
import { type Approval, as, codeOf, decide, KEY, keysOf, LIVE, liveConsole, requested } from './approvals.js';
import { ask } from './console.js';

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
  ])('approval_closed: is issued once with an approval, also if the process dies $dies', async ({ dies, answers }) => {
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
    let last: unknown = null;
    for (const _ of answers) {
      const answer = await decide(console, 'collect', request, 'olga');
      statuses.push(answer.status);
      last = await answer.json();
    }
    expect(statuses).toEqual(answers);
    if (dies.startsWith('after'))
      expect(last).toMatchObject({
        code: 'approval_closed',
        message: 'This approval was already used to issue a key.',
      });
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
    // The next request finds that a second person is required.
    expect((await expire(10)).status).toBe(202);
  });

  it('never moves later by one person, however requests of one person race', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 28 }), { minLength: 2, maxLength: 6 }), async (days) => {
        const { expire, stored } = await expiring();
        const answers = await Promise.all(days.map((day, turn) => expire(day, `person ${turn}`)));
        const done = days.filter((_, turn) => answers[turn]?.status === 200);
        expect((await stored())?.expiresAt).toBe(Date.UTC(2030, 0, Math.min(20, ...done)));
        // Every other request waits for a second person, or is answered with try_again.
        for (const { status } of answers) expect([200, 202, 503]).toContain(status);
      }),
      { numRuns: runs(10, 100) },
    );
  });
});
