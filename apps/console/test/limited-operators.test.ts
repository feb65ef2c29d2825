import { TEST_PARTNER } from '@gateramp/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ConsoleLegs, LegOperationView } from '../src/server/legs-port.js';
import { ENDPOINTS } from '../src/server/endpoints.js';
import { ask, testConsole, type TestConsole } from './console.js';
import { MARK, twoPartners, type World } from './world.js';

/** Texts of the installation, which belong to no partner. */
const OF_ALL = 'INSTALLATION-91c4';

const operation = (partnerId: string, id: string): LegOperationView => ({
  ...{ id, mode: 'live', partnerId, flow: 'on_ramp', status: 'stuck', step: null, steps: [], reason: null },
  ...{ source: { amount: '77.77', currency: 'EUR' }, destination: null, resolution: null },
  ...{ createdAt: 0, updatedAt: 0, owed: [], entries: [] },
});

/** Legs with a wallet, and an operation of each partner. Records what was changed. */
function legsOf(partnerIds: readonly string[], changed: string[]): ConsoleLegs {
  const operations = partnerIds.map((id, nth) => operation(id, `op${nth}${id}`));
  const find = (id: string) => operations.find((one) => one.id === id) ?? null;
  return {
    wallets: async () => [
      {
        ...{ network: OF_ALL, address: OF_ALL, status: 'active', pausedBecause: null, nextNonce: 1, isAnswering: true },
        ...{ balances: {}, pendingSends: 0, spentToday: {}, maxPerSend: {}, maxPerDay: {}, history: [] },
      },
    ],
    pauseWallet: async (network) => void changed.push(`pause ${network}`),
    resumeWallet: async (network) => {
      changed.push(`resume ${network}`);
      return 'resumed';
    },
    listOperations: async () => operations,
    findOperation: async (id) => find(id),
    resolveOperation: async ({ id, audited }) => {
      if (audited !== null) changed.push(`resolve ${id}`);
      return { kind: 'resolved', postings: [] };
    },
  };
}

describe('an operator of one partner', () => {
  const changed: string[] = [];
  let world: World;
  let console: TestConsole;
  let ids: readonly string[];
  beforeAll(async () => {
    world = await twoPartners();
    const { gate } = world.test;
    const partners = [TEST_PARTNER.id, world.bolt.partnerId];
    ids = [OF_ALL, ...world.bolt.ids, `op1${world.bolt.partnerId}`];
    console = testConsole(gate, {
      legs: legsOf(partners, changed),
      alarms: async () => [
        {
          ...{ name: OF_ALL, severity: 'critical', state: 'firing', covers: 'installation', since: null, value: 7 },
          ...{ condition: OF_ALL, meaning: OF_ALL, reason: null },
          about: [{ fields: { session_id: OF_ALL }, path: `#/${OF_ALL}` }],
        },
      ],
      authorize: (request) => ({
        ...{ actor: 'lena', roles: ['admin'] },
        partners: request.headers.get('x-all') === null ? [TEST_PARTNER.id] : 'all',
      }),
    });
    // An entry, and a change that waits, of the installation as a whole.
    const change = { params: {}, body: { of: OF_ALL } };
    const asked = {
      operation: 'createKey',
      partnerId: null,
      mode: null,
      change,
      reason: OF_ALL,
      role: 'viewer',
    } as const;
    const { id } = await gate.console
      .as({ type: 'operator', id: OF_ALL }, { requestId: `req_${OF_ALL}` })
      .approvals.request({ ...asked, isCollected: false });
    ids = [...ids, id, `req_${OF_ALL}`];
  });

  it.each(
    ENDPOINTS.filter(({ audience }) => audience !== 'public').map((one) => [one.method, one.path, one.name] as const),
  )('%s %s shows and changes nothing of the installation or of another partner', async (method, path, name) => {
    if (name === 'deleteSession') return;
    const before = await world.test.gate.admin.audit.list({ limit: 1 });
    const queries =
      name === 'search' ? ids.map((id) => `?q=${id}`) : ['', `?partner=${world.bolt.partnerId}&mode=live`];
    for (const id of path.includes('{') ? ids : ['']) {
      const at = path.replaceAll(/\{\w+\}/g, id);
      for (const query of queries) {
        const body = { reason: 'law', dry_run: false, as: 'failed', digest: 'x', ...MOVEMENT };
        const texts = [];
        for (const given of method === 'GET' ? [{}] : [{ reason: 'law' }, body])
          texts.push(await (await ask(console, `${at}${query}`, { method, body: given })).text());
        const shown = texts.join(' ').replaceAll(`/console/v1${at}`, '');
        expect(shown.toLowerCase()).not.toContain(MARK.toLowerCase());
        for (const one of [OF_ALL, ...ids]) expect(shown).not.toContain(one);
      }
    }
    expect(changed).toEqual([]);
    expect(await world.test.gate.admin.audit.list({ limit: 1 })).toEqual(before);
  });

  it('gets 404 for wallets and alarms, which an operator of all partners sees', async () => {
    for (const path of ['/wallets', '/alarms']) {
      expect((await ask(console, path)).status).toBe(404);
      const shown = await ask(console, path, { headers: { 'x-all': 'yes' } });
      expect(await shown.text()).toContain(OF_ALL);
    }
    const paused = { method: 'POST', body: { reason: 'law' } };
    expect((await ask(console, `/wallets/${OF_ALL}/pause`, paused)).status).toBe(404);
    expect(changed).toEqual([]);
  });
});

const MOVEMENT = { currency: 'EUR', amount: '1.00', reference: 'law' };

describe('a text', () => {
  it.each(['%00', 'a%00b', 'x'.repeat(1_001)])(
    'validation_failed: is not looked for if no store can keep it (%#)',
    async (text) => {
      const { console: own } = await twoPartners().then(({ test }) => ({
        console: testConsole(test.gate, { authorize: () => ({ actor: 'olga', roles: ['admin'], partners: 'all' }) }),
      }));
      const query = `partner=${TEST_PARTNER.id}&mode=test`;
      for (const { method, path, audience, name } of ENDPOINTS.filter(
        (one) => one.method === 'GET' && one.audience !== 'public',
      )) {
        if (name === 'streamChanges') continue;
        const of = audience === 'partner' ? `?${query}&` : '?';
        const at = path.includes('{') ? `${path.replaceAll(/\{\w+\}/g, text)}${of}` : `${path}${of}q=${text}`;
        const { status } = await ask(own, at, { method });
        expect([path, status]).toEqual([path, 400]);
      }
    },
  );

  it('validation_failed: is not stored with NUL or half of a surrogate pair', async () => {
    const { test } = await twoPartners();
    const own = testConsole(test.gate, { authorize: () => ({ actor: 'olga', roles: ['admin'], partners: 'all' }) });
    for (const text of ['a\0b', '\uD800'])
      for (const { method, path, audience } of ENDPOINTS.filter(
        (one) => one.method !== 'GET' && one.audience !== 'visitor',
      )) {
        const query = audience === 'partner' ? `?partner=${TEST_PARTNER.id}&mode=test` : '';
        const body = JSON.stringify({
          code: text,
          answer: { id: text },
          actor: text,
          url: text,
          reason: text,
          at: text,
        });
        const answer = await ask(own, `${path.replaceAll(/\{\w+\}/g, 'x')}${query}`, { method, body });
        expect([path, answer.status]).toEqual([path, 400]);
      }
  });
});
