import fc from 'fast-check';
import { TEST_PARTNER } from '@gateramp/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { runs } from '../../../tests/depth.js';
import { ENDPOINTS } from '../src/server/endpoints.js';
import type { AnyEndpoint } from '../src/server/endpoint.js';
import { includes, ROLES, type Role } from '../src/server/roles.js';
import { payByCard } from './approvals.js';
import { ask, signedIn } from './console.js';
import { asOperator, MARK, secretsOf, twoPartners, type World } from './world.js';

const MODES = ['test', 'live'] as const;
type Mode = (typeof MODES)[number];

/** A body with which a change succeeds, and the ids of its path. A change without one fails the law below. */
interface Example {
  readonly ids?: (world: World, mode: Mode) => Promise<readonly string[]>;
  readonly body?: object;
  /** Another body in live mode, where the first one would change nothing. */
  readonly live?: object;
}

const keyIn = async ({ test: { gate } }: World, mode: Mode): Promise<readonly string[]> => {
  const { hash } = await gate.admin.issueKey(TEST_PARTNER.id, { mode, type: 'publishable' });
  return [hash.slice(0, 16)];
};

const deadIn = async ({ test: { gate } }: World, mode: Mode): Promise<readonly string[]> => {
  // What earlier laws have replayed is dead-lettered again.
  await gate.runDue();
  const scope = { partnerId: TEST_PARTNER.id, mode };
  const dead = await gate.webhooks.deliveries.list(scope, { status: 'dead_lettered', limit: 1 });
  return dead.map(({ data }) => data.map(({ id }) => id)).unwrapOr([]);
};

const POOL = { id: 'law', asset: 'USDC', network: 'ethereum', currency: 'EUR', spreadBps: 0, feeBps: 0 };

const requestIn = async ({ test: { gate } }: World, mode: Mode): Promise<readonly string[]> => {
  const change = { params: {}, body: {} };
  const asked = {
    operation: 'createKey',
    partnerId: TEST_PARTNER.id,
    mode,
    change,
    reason: 'law',
    role: 'admin',
  } as const;
  return [(await gate.console.approvals.request({ ...asked, isCollected: true })).id];
};

const sessionIn = async ({ test: { gate } }: World, mode: Mode): Promise<readonly string[]> => {
  const terms = { amount: '1.00', currency: 'EUR', return_url: 'https://shop.example/' };
  return [(await gate.sessions.create({ partnerId: TEST_PARTNER.id, mode }, terms))._unsafeUnwrap().id];
};

const eventIn = async ({ test: { gate } }: World, mode: Mode): Promise<readonly string[]> => {
  const events = await gate.events.list({ partnerId: TEST_PARTNER.id, mode }, { limit: 1 });
  return events._unsafeUnwrap().data.map(({ id }) => id);
};

const EXAMPLES: Readonly<Record<string, Example>> = {
  updateEndpoint: { body: { url: 'https://shop.example/dead/elsewhere' } },
  rotateSecret: {},
  replaceDomains: {
    body: { allowed_origins: ['https://shop.example', 'https://other.example'] },
    live: { allowed_origins: ['https://shop.example'] },
  },
  updateBranding: { body: { accent_color: '#123456' } },
  createKey: { body: { type: 'secret', scopes: ['events:read'] } },
  expireKey: { ids: keyIn, body: { at: '2031-01-01T00:00:00.000Z' } },
  revokeKey: { ids: keyIn },
  createInvite: { body: { role: 'developer', actor: 'grace' }, live: { role: 'developer', actor: 'hopper' } },
  revokeAccess: {
    ids: async ({ test: { gate } }, mode) => [(await gate.console.invite(TEST_PARTNER.id, { mode, actor: 'eve' })).id],
  },
  suspendPartner: {
    ids: async ({ test: { gate } }) => {
      await gate.admin.reinstatePartner(TEST_PARTNER.id);
      return [TEST_PARTNER.id];
    },
  },
  reinstatePartner: {
    ids: async ({ test: { gate } }) => {
      await gate.admin.suspendPartner(TEST_PARTNER.id);
      return [TEST_PARTNER.id];
    },
  },
  declineChange: { ids: requestIn },
  movePoolBalance: {
    ids: async ({ test: { gate } }) => {
      await gate.admin.savePool(TEST_PARTNER.id, POOL);
      return [TEST_PARTNER.id, POOL.id];
    },
    body: { currency: 'EUR', amount: '1.00', reference: 'law' },
  },
  refundTransaction: { ids: async ({ test }, mode) => [await payByCard(test, mode)], body: { amount: '1.00' } },
  cancelSession: { ids: sessionIn },
  resendEvent: { ids: eventIn },
  sendTestEvent: {},
  replayDelivery: { ids: deadIn },
  replayDeliveries: { ids: deadIn, body: { event_types: ['webhook.test'] } },
};

const withIds = (path: string, ids: readonly string[]): string => {
  const left = [...ids];
  return path.replaceAll(/\{\w+\}/g, () => left.shift() ?? 'x');
};

/** Changes of provider legs have tests of their own, with legs. */
const isChange = ({ audience, method, path, reason }: AnyEndpoint): boolean =>
  audience !== 'public' && method !== 'GET' && reason !== 'never' && !/^\/(wallets|operations)/.test(path);

const needed = ({ needs }: AnyEndpoint, mode: Mode): Role =>
  needs === null || typeof needs === 'string' ? (needs ?? 'viewer') : needs[mode];

describe('the console', () => {
  let world: World;
  beforeAll(async () => {
    world = await twoPartners();
  });

  it.each(ENDPOINTS.filter(({ audience }) => audience !== 'public').map((one) => [one.method, one.path, one] as const))(
    '%s %s is refused below its role, and never above it',
    async (method, path, endpoint) => {
      for (const mode of MODES)
        for (const role of ROLES) {
          const isAllowed = includes(role, needed(endpoint, mode));
          const answer = await asOperator(world, withIds(path, ['x', 'y']), {
            role,
            mode,
            method,
            body: { reason: 'law' },
          });
          const body = answer.status === 204 ? {} : await answer.json().catch(() => ({}));
          // Only a role is at stake here; other refusals, such as of an unknown id, come after it.
          const isRefused = answer.status === 403 && (body as { code?: string }).code === 'insufficient_role';
          expect([mode, role, isRefused]).toEqual([mode, role, !isAllowed]);
        }
    },
  );

  it.each(ENDPOINTS.filter(({ audience }) => audience === 'partner').map((one) => [one.method, one.path] as const))(
    '%s %s shows a user of a partner no other partner and no other mode',
    async (method, path) => {
      const cookie = await signedIn(world.console, TEST_PARTNER.id, { role: 'admin' });
      for (const query of [
        `partner=${world.bolt.partnerId}`,
        'mode=live',
        `partner=${TEST_PARTNER.id}&mode=live`,
        'mode=x',
      ]) {
        const answer = await ask(world.console, `${withIds(path, ['x', 'y'])}?${query}`, { method, cookie });
        expect([query, answer.status]).toEqual([query, 404]);
      }
    },
  );

  it.each(
    ENDPOINTS.filter(({ audience }) => audience === 'operators' || audience === 'installation').map(
      (one) => [one.method, one.path] as const,
    ),
  )('%s %s is for operators', async (method, path) => {
    const cookie = await signedIn(world.console, TEST_PARTNER.id, { role: 'admin' });
    const answer = await ask(world.console, withIds(path, ['x']), { method, cookie, body: { reason: 'law' } });
    expect(answer.status).toBe(403);
  });

  it('has an example of every change', () => {
    expect(Object.keys(EXAMPLES).toSorted()).toEqual(
      ENDPOINTS.filter(isChange)
        .map(({ name }) => name)
        .toSorted(),
    );
  });

  it.each(ENDPOINTS.filter(isChange).map((one) => [one.method, one.path, one] as const))(
    '%s %s needs a reason in live mode, and leaves exactly one audit entry with it',
    async (method, path, { name, audience, reason, success, secondPerson }) => {
      const { ids, body: first = {}, live = first } = EXAMPLES[name] ?? {};
      for (const mode of MODES) {
        const body = mode === 'live' ? live : first;
        const at = withIds(path, (await ids?.(world, mode)) ?? []);
        const send = (given: object) => asOperator(world, at, { role: 'admin', mode, method, body: given });
        const { audit } = world.test.gate.admin;
        const [before] = await audit.list({ limit: 1 });
        if (mode === 'live' || reason === 'always') {
          const refused = await send(body);
          expect(refused.status).toBe(403);
          expect(await refused.json()).toMatchObject({ code: 'reason_required' });
          expect(await audit.list({ limit: 1 })).toEqual([before]);
        }
        const answer = await send({ ...body, reason: `because of ${mode}` });
        // What needs a second person is kept until then, which is an entry of its own.
        const isForTwo =
          secondPerson?.isRequired === undefined &&
          secondPerson !== undefined &&
          (mode === 'live' || audience === 'operators');
        expect([mode, answer.status]).toEqual([mode, isForTwo ? 202 : success]);
        const after = await audit.list({ limit: 10 });
        const added = after.filter(({ sequence }) => sequence > (before?.sequence ?? 0));
        expect(added).toMatchObject([
          {
            actor: { type: 'operator', id: 'olga' },
            reason: `because of ${mode}`,
            requestId: answer.headers.get('x-request-id'),
            partnerId: TEST_PARTNER.id,
          },
        ]);
      }
      expect(await world.test.gate.admin.audit.verify()).toMatchObject({ isIntact: true });
    },
  );

  it('shows the dead-lettered deliveries of a replay before it, without a reason', async () => {
    const body = { dry_run: true };
    const answer = await asOperator(world, '/deliveries/replay', {
      role: 'support',
      mode: 'live',
      method: 'POST',
      body,
    });
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ dry_run: true });
  });

  it('answers what /v1 answers, and the state of payments', async () => {
    const cookie = await signedIn(world.console, TEST_PARTNER.id);
    for (const [own, path] of [
      ['/sessions?limit=2', '/v1/gate_sessions?limit=2'],
      ['/transactions', '/v1/transactions'],
      ['/events?limit=5', '/v1/events?limit=5'],
      ['/deliveries?limit=5', '/v1/webhooks/deliveries?limit=5'],
      ['/branding', '/v1/branding'],
    ] as const) {
      const answer = await (await ask(world.console, own, { cookie })).text();
      const shown = answer.replaceAll(/,"payment":(null|"[a-z_]+")(?=\})/g, '');
      expect(answer !== shown, own).toBe(own.startsWith('/sessions') || own.startsWith('/transactions'));
      const { text } = await world.test.request('GET', path, { key: world.test.keys.secret.test });
      expect(shown).toBe(text.replaceAll(/"url":"\/v1\/[^"]*"\}$/g, `"url":"/console/v1${own.split('?')[0]}"}`));
    }
  });

  it('refuses a filter that the list does not have', async () => {
    const cookie = await signedIn(world.console, TEST_PARTNER.id);
    for (const path of ['/sessions?stauts=open', '/audit?page=2', '/sessions?limit=0']) {
      const answer = await ask(world.console, path, { cookie });
      expect([path, answer.status]).toEqual([path, 400]);
    }
  });

  it('shows a user of a partner not one byte of another partner, whatever is asked', async () => {
    const cookies = await Promise.all(
      MODES.map((mode) => signedIn(world.console, TEST_PARTNER.id, { mode, role: 'admin' })),
    );
    const { bolt, acme } = world;
    const anyId = fc.constantFrom(...bolt.ids, ...acme.ids, ...bolt.hashes, 'x', '');
    const queries = fc.dictionary(
      fc.constantFrom(
        'partner',
        'mode',
        'limit',
        'starting_after',
        'ending_before',
        'session_id',
        'event_id',
        'q',
        'user_reference',
        'before',
      ),
      fc.oneof(anyId, fc.constantFrom('test', 'live', '100', '1', `${MARK}-test-0`)),
      { maxKeys: 3 },
    );
    const reads = ENDPOINTS.filter(({ audience, name }) => audience !== 'public' && name !== 'deleteSession');
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...cookies),
        fc.constantFrom(...reads),
        fc.array(anyId, { minLength: 2, maxLength: 2 }),
        queries,
        async (cookie, { method, path }, ids, query) => {
          const at = withIds(path, ids.map(encodeURIComponent));
          const answer = await ask(world.console, `${at}?${new URLSearchParams(query)}`, {
            method,
            cookie,
            body: { reason: 'law', dry_run: true },
          });
          const text = `${await answer.text()} ${JSON.stringify([...answer.headers])}`;
          // The path that was asked for is the caller's own text.
          const own = text.replaceAll(`/console/v1${at}`, '');
          expect(own.toLowerCase()).not.toContain(MARK.toLowerCase());
          for (const hash of bolt.hashes.filter((one) => query['q'] !== one)) expect(own).not.toContain(hash);
          for (const id of bolt.ids) expect(own).not.toContain(id);
        },
      ),
      { numRuns: runs(300, 3_000) },
    );
  });

  it('finds every id of the caller, says what caused it, and finds none of another partner', async () => {
    const cookies = await Promise.all(MODES.map((mode) => signedIn(world.console, TEST_PARTNER.id, { mode })));
    const found = new Map<string, number>();
    for (const id of [...world.acme.ids.slice(1), ...world.bolt.ids.slice(1)])
      for (const cookie of cookies) {
        const { data } = (await (await ask(world.console, `/search?q=${id}`, { cookie })).json()) as {
          data: { type: string }[];
        };
        found.set(id, (found.get(id) ?? 0) + data.length);
        for (const { type } of data.filter((one) => one.type !== 'key' && one.type !== 'approval')) {
          const object = await ask(world.console, `/objects/${id}`, { cookie });
          expect(await object.json()).toMatchObject({ type, id });
        }
      }
    const { console: door } = world.test.gate;
    const lists = MODES.map((mode) => door.list(TEST_PARTNER.id, mode));
    const listedOnly = new Set((await Promise.all(lists)).flat().map(({ id }) => id));
    for (const id of world.acme.ids.slice(1).filter((one) => !listedOnly.has(one)))
      expect([id, found.get(id)]).toEqual([id, 1]);
    for (const id of world.bolt.ids.slice(1)) expect([id, found.get(id)]).toEqual([id, 0]);
    for (const id of world.bolt.ids)
      for (const cookie of cookies)
        expect([id, (await ask(world.console, `/objects/${id}`, { cookie })).status]).toEqual([id, 404]);
  });

  it('finds a transaction, its session and its operation by the hash on chain in any case, and none of another partner', async () => {
    const cookie = await signedIn(world.console, TEST_PARTNER.id);
    const search = async (hash: string, of: Parameters<typeof ask>[2]) =>
      ((await (await ask(world.console, `/search?q=${hash}`, of)).json()) as { data: { type: string; id: string }[] })
        .data;
    expect(world.acme.hashes).toHaveLength(1);
    expect(world.bolt.hashes).toHaveLength(1);
    for (const hash of world.acme.hashes.flatMap((one) => [one, one.toUpperCase()])) {
      const found = await search(hash, { cookie });
      expect(found.map(({ type }) => type)).toEqual(['transaction', 'session', 'operation']);
      for (const { type, id } of found)
        expect(await (await ask(world.console, `/objects/${id}`, { cookie })).json()).toMatchObject({ type, id });
    }
    for (const hash of world.bolt.hashes) {
      expect(await search(hash, { cookie })).toEqual([]);
      expect(await search(hash, { headers: { 'x-role': 'viewer' } })).toMatchObject([
        { type: 'transaction', partner_id: world.bolt.partnerId },
        { type: 'session', partner_id: world.bolt.partnerId },
        { type: 'operation', partner_id: world.bolt.partnerId },
      ]);
    }
  });

  it('finds partners by id and name, and keys by their shown beginning, and shows none to others', async () => {
    const search = async (text: string, of: Parameters<typeof ask>[2]) =>
      ((await (await ask(world.console, `/search?q=${text}`, of)).json()) as { data: { type: string; id: string }[] })
        .data;
    const olga = { headers: { 'x-role': 'viewer' } };
    const partner = { type: 'partner', id: world.bolt.partnerId, label: `${MARK} Ltd` };
    expect(await search(world.bolt.partnerId, olga)).toMatchObject([partner]);
    expect(await search('bolt-8F3E%20l', olga)).toMatchObject([partner]);
    const [{ key: { prefix } } = { key: { prefix: '' } }] = await world.test.gate.admin.listKeys(world.bolt.partnerId);
    const found = await search(prefix, olga);
    expect(found).toMatchObject([{ type: 'key', label: `${prefix}…`, partner_id: world.bolt.partnerId }]);
    const cookie = await signedIn(world.console, TEST_PARTNER.id);
    for (const text of [world.bolt.partnerId, MARK, prefix]) expect(await search(text, { cookie })).toEqual([]);
  });

  it('finds the ids of all partners for an operator, and of the named ones only for one who sees these', async () => {
    const [, session = ''] = world.bolt.ids;
    const search = (role: string) => ask(world.console, `/search?q=${session}`, { headers: { 'x-role': role } });
    expect(await (await search('viewer')).json()).toMatchObject({
      data: [{ id: session, type: 'session', partner_id: world.bolt.partnerId }],
    });
  });

  it('shows operators partners, pools and work', async () => {
    for (const path of [
      '/partners',
      `/partners/${world.bolt.partnerId}`,
      '/pools',
      '/work/stuck',
      '/work/oldest',
      '/work/held',
    ]) {
      const answer = await ask(world.console, path, { headers: { 'x-role': 'viewer' } });
      expect([path, answer.status]).toEqual([path, 200]);
    }
  });

  it('has no secret in any answer, apart from the texts that are shown once', async () => {
    const cookie = await signedIn(world.console, TEST_PARTNER.id, { role: 'admin' });
    const secrets = [...secretsOf(world), cookie.split('=')[1] ?? ''];
    for (const { path, method } of ENDPOINTS.filter((one) => one.method === 'GET')) {
      const found = world.acme.ids.map((id) => withIds(path, [id]));
      for (const at of new Set(path.includes('{') ? found : [path])) {
        const answer = await ask(world.console, at, { method, cookie });
        const text = await answer.text();
        for (const secret of secrets) expect(text).not.toContain(secret);
      }
    }
  });
});
