import { memoryStore } from '@gateramp/adapters-store-memory';
import type { AuditEntry } from '@gateramp/core/domain';
import { EVERY_ENTRY, type Store } from '@gateramp/core/ports';
import { createTestGate, type TestGate } from '@gateramp/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const ADA = { type: 'operator', id: 'ada@example.com' } as const;
const POOL = { id: 'pool_1', asset: 'USDC', network: 'base', currency: 'EUR', spreadBps: 30, feeBps: 20 };

/** The entries that `change` adds, oldest first. */
async function addedBy({ gate }: TestGate, change: () => Promise<unknown>): Promise<readonly AuditEntry[]> {
  const last = (await gate.admin.audit.list({ limit: 1 }))[0]?.sequence ?? 0;
  await change();
  return (await gate.admin.audit.list()).filter(({ sequence }) => sequence > last).toReversed();
}

describe('the audit trail', () => {
  it('names actor, reason, request and target of a change', async () => {
    const t = await createTestGate();
    const admin = t.gate.admin.as(ADA, { reason: 'ticket 812', requestId: 'req_1' });
    const [entry, ...others] = await addedBy(t, () => admin.savePartner({ ...t.partner, name: 'Renamed' }));
    expect(others).toEqual([]);
    expect(entry).toMatchObject({
      actor: ADA,
      reason: 'ticket 812',
      requestId: 'req_1',
      action: 'partner.update',
      target: { type: 'partner', id: t.partner.id },
      partnerId: t.partner.id,
      mode: null,
    });
    expect(entry?.beforeDigest).not.toBe(entry?.afterDigest);
  });

  it('has one entry for each change, and none for a call that changes nothing', async () => {
    const t = await createTestGate();
    const { partner } = t;
    const { admin } = t.gate;
    const scope = { partnerId: partner.id, mode: 'test' } as const;
    const url = 'https://example.com/hooks';
    const calls: Readonly<Record<string, () => Promise<unknown>>> = {
      'partner.create': () => admin.createPartner({ name: 'New', allowedOrigins: [] }),
      'partner.update': () => admin.savePartner({ ...partner, liveEnabled: !partner.liveEnabled }),
      'key.issue': () => admin.issueKey(partner.id, { mode: 'test', type: 'secret' }),
      'key.add': () => admin.addKey(partner.id, 'sk_test_0123456789abcdef'),
      'key.revoke': () => admin.revokeKey('sk_test_0123456789abcdef'),
      'endpoint.set': () => admin.setEndpoint(scope, { url, secret: null }),
      'endpoint.pause': () => admin.pauseEndpoint(scope),
      'endpoint.resume': () => admin.resumeEndpoint(scope),
      'pool.save': () => admin.savePool(partner.id, POOL),
      'pools_access.set': () => admin.setPoolsAccess(partner.id, { status: 'suspended', kyc: 'approved' }),
      'pool.move_balance': () =>
        admin.movePoolBalance(partner.id, { poolId: POOL.id, currency: 'EUR', amount: '5', reference: 'r' }),
      'webhook_secret.rotate': () => t.gate.webhooks.rotateSecret(scope, {}, { idempotencyKey: 'once' }),
      'branding.update': () => t.gate.branding.update(scope, { theme: 'dark' }, { idempotencyKey: 'again' }),
    };
    const creates = ['partner.create', 'key.issue'];
    for (const [action, call] of Object.entries(calls)) {
      expect((await addedBy(t, call)).map((entry) => entry.action)).toEqual([action]);
      if (!creates.includes(action)) expect(await addedBy(t, call)).toEqual([]);
    }
    expect(await admin.audit.verify()).toMatchObject({ isIntact: true });
  });

  it('names the key of a call over HTTP, and the request id of its response', async () => {
    const t = await createTestGate();
    const key = await t.gate.admin.issueKey(t.partner.id, { mode: 'test', type: 'secret' });
    const rotate = () =>
      t.gate.fetch(
        new Request('https://api.example.com/portal/webhook-secret/rotate', {
          method: 'POST',
          headers: { authorization: `Bearer ${key.text}`, 'idempotency-key': 'k1', 'content-type': 'application/json' },
          body: '{}',
        }),
        { mode: 'test', clientIp: '192.0.2.1' },
      );
    const responses: Response[] = [];
    const [entry, ...others] = await addedBy(t, async () => {
      responses.push(await rotate(), await rotate());
    });
    expect(others).toEqual([]);
    expect(entry).toMatchObject({ action: 'webhook_secret.rotate', actor: { type: 'key', id: key.hash.slice(0, 16) } });
    const requestId = responses[0]?.headers.get('x-request-id') ?? '';
    expect(entry?.requestId).toBe(requestId);
    expect(await t.gate.admin.audit.list({ requestId })).toEqual([entry]);
  });

  it('says what changed, member by member, and of a secret its first characters only', async () => {
    const t = await createTestGate();
    const key = await t.gate.admin.issueKey(t.partner.id, { mode: 'live', type: 'secret' });
    const secret = 'whsec_0123456789abcdefghij';
    const url = 'https://a.example/hooks?token=abcdefghijkl';
    await t.gate.admin.setEndpoint({ partnerId: t.partner.id, mode: 'live' }, { url, secret });
    const [entry] = await t.gate.admin.audit.list({ limit: 1 });
    expect(entry?.changes).toContainEqual({
      ...{ member: 'url', before: 'https://shop.example/hooks', after: 'https://a.example/hooks?…' },
    });
    const text = JSON.stringify(await t.gate.admin.audit.list());
    for (const one of [key.text, key.hash, secret, 'abcdefghijkl']) expect(text).not.toContain(one);
  });

  it('keeps one chain however many changes race', async () => {
    const t = await createTestGate();
    const before = (await t.gate.admin.audit.list()).length;
    await Promise.all(
      Array.from({ length: 40 }, (_, nth) =>
        nth % 2 === 0
          ? t.gate.admin.issueKey(t.partner.id, { mode: 'test', type: 'publishable' })
          : t.gate.admin.createPartner({ name: `P${nth}`, allowedOrigins: [] }),
      ),
    );
    expect(await t.gate.admin.audit.list()).toHaveLength(before + 40);
    expect(await t.gate.admin.audit.verify()).toMatchObject({ isIntact: true, head: { sequence: before + 40 } });
  });

  it('refuses invalid actors, pages and entries', async () => {
    const { gate } = await createTestGate();
    const host: unknown = gate.admin;
    const admin = host as Record<'as', (...given: unknown[]) => unknown>;
    expect(() => admin.as({ type: 'nobody', id: '' }, { reason: 'x\n' })).toThrow('invalid arguments');
    await expect(gate.admin.audit.list({ limit: 0 })).rejects.toThrow('invalid arguments');
    const entry = {
      action: 'nothing',
      target: { type: 'a', id: '' },
      partnerId: null,
      mode: null,
      before: null,
      after: null,
    };
    await expect(gate.admin.audit.record(entry)).rejects.toMatchObject({ problems: { length: 2 } });
  });
});

/** How the audit trail of a store was altered behind the engine's back. */
interface Altered {
  readonly entries: (entries: readonly AuditEntry[]) => readonly AuditEntry[];
  readonly head: (head: string | null, first: string) => string | null;
}

const same: Altered = { entries: (entries) => entries, head: (head) => head };
const LENGTH = 9;

async function verified(altered: Altered) {
  const store = memoryStore();
  const heads: string[] = [];
  let isAltered = false;
  const behind: Store = {
    ...store,
    listAudit: async (request) => {
      const all = await store.listAudit({ ...EVERY_ENTRY, order: 'oldest_first', beyond: null, limit: 100 });
      if (!isAltered) return store.listAudit(request);
      return altered.entries(all).filter(({ sequence }) => sequence > (request.beyond ?? 0));
    },
    readSetting: async (name) => {
      const value = await store.readSetting(name);
      if (name !== 'audit_head') return value;
      if (value !== null) heads.push(value);
      return isAltered ? altered.head(value, heads[0] ?? '') : value;
    },
  };
  const { gate, partner } = await createTestGate({ ports: { store: behind } });
  const missing = LENGTH - (await gate.admin.audit.list()).length;
  for (let nth = 0; nth < missing; nth += 1) await gate.admin.as(ADA).savePartner({ ...partner, name: `Name ${nth}` });
  isAltered = true;
  return gate.admin.audit.verify();
}

const APPROVAL = {
  operation: 'createKey',
  partnerId: null,
  mode: null,
  change: {},
  reason: 'r',
  role: 'admin',
  isCollected: true,
} as const;

/** A gate whose database someone else writes too. */
async function alterable() {
  const store = memoryStore();
  const [heads, removed] = [new Map<number, string>(), new Set<string>()];
  let isAudited = true;
  const behind: Store = {
    ...store,
    commit: (change) => store.commit(isAudited ? change : { ...change, audit: null }),
    save: (noun, row, audit) => store.save(noun, row, isAudited ? audit : null),
    listAudit: async (request) =>
      (await store.listAudit({ ...request, limit: 500 })).filter(({ id }) => !removed.has(id)).slice(0, request.limit),
    readSetting: async (name) => {
      const value = await store.readSetting(name);
      if (name === 'audit_head' && value !== null) heads.set(Number.parseInt(value), value);
      return value;
    },
  };
  const { gate, partner, clock } = await createTestGate({ ports: { store: behind, operator: store } });
  return {
    ...{ gate, partner, clock, store },
    /** Removes the newest entries, and puts back the head of before. */
    cut: async (count: number) => {
      const entries = await gate.admin.audit.list();
      for (const { id } of entries.slice(0, count)) removed.add(id);
      const [head, last] = [heads.get(entries[count]?.sequence ?? 0), await behind.readSetting('audit_head')];
      await store.swapSetting('audit_head', last, head ?? '');
    },
    unaudited: async (write: () => Promise<unknown>) => {
      isAudited = false;
      await write();
      isAudited = true;
    },
  };
}

describe('gate.admin.audit.compare', () => {
  it('notices an end that was removed, also once other entries have followed, until that is accepted', async () => {
    const { gate, clock, cut } = await alterable();
    const { audit } = gate.admin;
    const add = (action: string) =>
      audit.record({
        ...{ action, target: { type: 'installation', id: 'one' }, partnerId: null, mode: null },
        ...{ before: null, after: null },
      });
    for (let nth = 0; nth < 3; nth += 1) await add('test.one');
    const { head, isSetBack } = await audit.compare(null);
    expect([head?.sequence, isSetBack]).toEqual([(await audit.list())[0]?.sequence, false]);
    await add('test.two');
    const later = (await audit.compare(head)).head;
    expect(later).toMatchObject({ sequence: (head?.sequence ?? 0) + 1 });
    await cut(2);
    expect(await audit.compare(later)).toMatchObject({
      isSetBack: true,
      head: { sequence: (head?.sequence ?? 0) - 1 },
    });
    for (let nth = 0; nth < 4; nth += 1) await add('test.three');
    expect(await audit.compare(later)).toMatchObject({ isSetBack: true });
    await clock.advance('1s');
    await gate.admin.as(ADA, { reason: 'restored' }).audit.accept();
    const accepted = await audit.compare(later);
    expect(accepted).toMatchObject({ isSetBack: false, head: { sequence: (later?.sequence ?? 0) + 3 } });
    expect(await audit.compare(accepted.head)).toMatchObject({ isSetBack: false });
  });
});

describe('gate.admin.audit.accept', () => {
  it('continues after the newest entry when the record of the end is forged or of an earlier one', async () => {
    for (const put of ['forged', 'earlier'] as const) {
      const { gate, store, partner } = await alterable();
      const [rename, verify] = [
        (name: string) => gate.admin.as(ADA).savePartner({ ...partner, name }),
        () => gate.admin.audit.verify(),
      ];
      await rename('One');
      const earlier = await store.readSetting('audit_head');
      await rename('Two');
      await store.swapSetting(
        'audit_head',
        await store.readSetting('audit_head'),
        put === 'forged' ? put : (earlier ?? ''),
      );
      expect(await verify(), put).toMatchObject({ isIntact: false });
      await expect(rename('Three')).rejects.toThrow('gate audit accept');
      await gate.admin.as(ADA).audit.accept();
      await rename('Three');
      expect(await verify(), put).toMatchObject({ isIntact: true });
      expect((await gate.admin.audit.list())[1]).toMatchObject({ action: 'audit.accept', actor: ADA });
    }
  });
});

describe('gate.admin.audit.verify', () => {
  it('accepts an untouched trail', async () => {
    expect(await verified(same)).toMatchObject({ isIntact: true, head: { sequence: LENGTH } });
  });

  it('finds the first entry that was changed, removed, moved or added', async () => {
    const members = ['at', 'action', 'partnerId', 'reason', 'requestId', 'afterDigest', 'id'] as const;
    await fc.assert(
      fc.asyncProperty(
        fc.nat(LENGTH - 1),
        fc.constantFrom('change' as const, 'remove' as const, 'swap' as const, 'repeat' as const),
        fc.constantFrom(...members),
        async (at, how, member) => {
          fc.pre(how !== 'swap' || at < LENGTH - 1);
          const check = await verified({
            ...same,
            entries: (entries) => {
              const next = [...entries];
              const [one, other] = [next[at], next[at + 1]];
              if (one === undefined) return next;
              if (how === 'change') next[at] = { ...one, [member]: member === 'at' ? one.at + 1 : 'forged' };
              if (how === 'remove') next.splice(at, 1);
              if (how === 'repeat') next.splice(at, 0, one);
              if (how === 'swap' && other !== undefined) next.splice(at, 2, other, one);
              return next;
            },
          });
          expect(check).toMatchObject({ isIntact: false, sequence: how === 'repeat' ? at + 2 : at + 1 });
        },
      ),
      { numRuns: 40 },
    );
  });

  it('finds a trail that was cut at its end together with its head, by an end of before', async () => {
    const { gate, cut } = await alterable();
    for (let nth = 0; nth < 4; nth += 1) await gate.admin.createPartner({ name: 'One', allowedOrigins: [] });
    const check = await gate.admin.audit.verify();
    const atLeast = check.isIntact && check.head !== null ? check.head : { sequence: 0, digest: '' };
    expect(await gate.admin.audit.verify({ atLeast })).toMatchObject({ isIntact: true });
    await cut(2);
    expect(await gate.admin.audit.verify()).toMatchObject({ isIntact: true });
    const problem = `Entries ${atLeast.sequence - 1} to ${atLeast.sequence} are missing at the end.`;
    expect(await gate.admin.audit.verify({ atLeast })).toMatchObject({ sequence: atLeast.sequence - 1, problem });
    for (let nth = 0; nth < 3; nth += 1) await gate.admin.createPartner({ name: 'More', allowedOrigins: [] });
    const replaced = { isIntact: false, sequence: atLeast.sequence };
    expect(await gate.admin.audit.verify({ atLeast })).toMatchObject(replaced);
    await expect(gate.admin.audit.verify({ atLeast: { sequence: 0, digest: '' } })).rejects.toThrow('invalid');
  });

  it('finds keys, console access, passkeys and approvals whose creation has no entry', async () => {
    const { gate, partner, unaudited } = await alterable();
    const creations: Readonly<Record<string, () => Promise<unknown>>> = {
      [`key \\w+ of partner ${partner.id}`]: () => gate.admin.issueKey(partner.id, { mode: 'live', type: 'secret' }),
      [`console_access \\w+ of partner ${partner.id}`]: () =>
        gate.console.invite(partner.id, { mode: 'live', actor: 'eve' }),
      'console_access \\w+[,.]': () => gate.console.signIn({ actor: 'eve', role: 'admin', proof: crypto.randomUUID() }),
      console_passkey: () => gate.console.passkeys.invite({ actor: 'eve' }),
      console_approval: () => gate.console.as(ADA).approvals.request(APPROVAL),
    };
    for (const create of Object.values(creations)) await create();
    expect(await gate.admin.audit.verify()).toMatchObject({ isIntact: true });
    let found = 0;
    for (const [name, create] of Object.entries(creations)) {
      await unaudited(create);
      found += 1;
      const check = await gate.admin.audit.verify();
      expect(check).toMatchObject({ isIntact: false, sequence: null });
      const problem = check.isIntact ? '' : check.problem;
      expect(problem).toMatch(new RegExp(`No entry records the creation of: .*${name}`));
      expect(problem.split(', ')).toHaveLength(found);
    }
  });

  it('finds a passkey that was added to the access of a portal user without an entry', async () => {
    const { gate, partner, unaudited } = await alterable();
    const { code } = await gate.console.invite(partner.id, { mode: 'live', actor: 'ada' });
    const { token = '' } = (await gate.console.exchange(code)) ?? {};
    const add = (id: string) =>
      gate.console.portalPasskeys.add(token, {
        ...{ name: id, proof: id },
        credential: { id, publicKey: 'AA', counter: 0, transports: [] },
      });
    await add('hers');
    expect(await gate.admin.audit.verify()).toMatchObject({ isIntact: true });
    await unaudited(() => add('planted'));
    const problem = expect.stringMatching(
      `^No entry records the creation of: console_passkey \\w+ of partner ${partner.id}.$`,
    );
    expect(await gate.admin.audit.verify()).toMatchObject({ isIntact: false, problem });
  });

  it('finds a head that is missing, forged or of an earlier entry', async () => {
    expect(await verified({ ...same, head: () => null })).toMatchObject({ isIntact: false });
    expect(await verified({ ...same, head: (head) => `${head}0` })).toMatchObject({ isIntact: false });
    expect(await verified({ ...same, head: (_, first) => first })).toMatchObject({ isIntact: false });
  });
});
