import assert from 'node:assert/strict';
import type { AuditEntry } from '@gateramp/core/domain';
import {
  AUDIT_HEAD_SETTING,
  emptyChange,
  EVERY_ENTRY,
  type AuditFilter,
  type AuditWrite,
  type Change,
  type Store,
} from '@gateramp/core/ports';
import { ACME, BOLT, T0, aHash, aKey, aPartner, aSession, aUuid, anEndpoint } from '../builders.js';
import { aKeyUse, claim, sessionCreation } from '../changes.js';
import { LATER } from './due-deliveries.js';
import { commit, storeTopic } from './store-subject.js';

/** An entry at that place of the trail. */
export function entry(sequence: number, partnerId: string | null = ACME.partnerId): AuditEntry {
  return {
    sequence,
    id: `aud_${aUuid()}`,
    at: T0 + sequence,
    actor: { type: 'cli', id: 'ada' },
    action: 'partner.update',
    target: { type: 'partner', id: 'a "quoted" name, 北' },
    partnerId,
    mode: partnerId === null ? null : 'test',
    reason: sequence % 2 === 0 ? null : 'ticket 812',
    requestId: sequence > 3 ? 'req_late' : null,
    beforeDigest: null,
    afterDigest: aHash(),
    previousDigest: sequence === 1 ? null : aHash(),
    digest: aHash(),
  };
}

/** The entries as the continuation of a trail that ended at `last`, 0 if it was empty. */
export function after(last: number, ...entries: readonly AuditEntry[]): AuditWrite {
  return { expectedHead: last === 0 ? null : `head ${last}`, head: `head ${last + entries.length}`, entries };
}

function audited(audit: AuditWrite, change: Change = emptyChange(ACME, T0)): Change {
  return { ...change, audit };
}

export async function trail(store: Pick<Store, 'listAudit'>): Promise<readonly AuditEntry[]> {
  return store.listAudit({ ...EVERY_ENTRY, order: 'oldest_first', beyond: null, limit: 100 });
}

export const auditLaws = storeTopic('Store: audit trail', {
  async 'adds the entries of a change in the same commit, and returns them unchanged'(store) {
    const [one, two] = [entry(1), entry(2, null)];
    const { session, change } = sessionCreation();
    await commit(store, audited(after(0, one, two), change));
    assert.deepEqual(await trail(store), [one, two]);
    assert.equal(await store.readSetting(AUDIT_HEAD_SETTING), 'head 2');
    assert.deepEqual(await store.find('session', ACME, session.id), session);
  },

  async 'refuses a whole change whose entries continue another end of the trail'(store) {
    await commit(store, audited(after(0, entry(1))));
    const { session, change } = sessionCreation();
    const ref = aKeyUse();
    for (const wrong of [after(0, entry(1)), after(2, entry(3))]) {
      const refused = { ...audited(wrong, change), idempotency: claim(ref, 'reply', LATER) };
      assert.deepEqual(await store.commit(refused), { kind: 'stale' });
    }
    assert.equal((await trail(store)).length, 1);
    assert.equal(await store.readSetting(AUDIT_HEAD_SETTING), 'head 1');
    assert.equal(await store.find('session', ACME, session.id), null);
    assert.equal(await store.findReply(ref, T0), null);
  },

  async 'adds no entry for a change that is refused for another reason'(store) {
    const ref = aKeyUse();
    await commit(store, { ...emptyChange(ACME, T0), once: ['taken'], idempotency: claim(ref, 'reply', LATER) });
    const empty = emptyChange(ACME, T0);
    const refused: Readonly<Record<string, Change>> = {
      replay: { ...empty, idempotency: claim(ref, 'other', LATER) },
      duplicate: { ...empty, once: ['taken'] },
      insufficient: { ...empty, counters: [{ name: 'balance', delta: '-1', atLeast: '0' }] },
      stale: { ...empty, sessions: [{ row: aSession().session, expectedVersion: 1 }] },
    };
    for (const [kind, change] of Object.entries(refused))
      assert.equal((await store.commit(audited(after(0, entry(1)), change))).kind, kind);
    assert.deepEqual(await trail(store), []);
    assert.equal(await store.readSetting(AUDIT_HEAD_SETTING), null);
  },

  async 'removes a consumer together with its entry, or not at all'(store) {
    await store.registerConsumers([{ name: 'grant', type: 'gate_session.completed' }]);
    assert.equal(await store.removeConsumer('grant', after(1, entry(2))), 'stale');
    const isRemoved = async (): Promise<unknown> => (await store.readConsumers()).consumers[0]?.isRemoved;
    assert.equal(await isRemoved(), false);
    assert.equal(await store.removeConsumer('grant', after(0, entry(1))), 'removed');
    assert.deepEqual([await isRemoved(), (await trail(store)).length], [true, 1]);
  },

  async 'gives each place in the trail to one of many racing changes'(store) {
    await raceForPlaces(store, async (audit) => (await store.commit(audited(audit))).kind === 'committed');
  },

  async 'lists each entry once in either order, of all partners, of one, or of a request'(store) {
    const entries = [1, 2, 3, 4, 5].map((sequence) =>
      entry(sequence, sequence === 3 ? null : sequence % 2 === 0 ? ACME.partnerId : BOLT.partnerId),
    );
    await commit(store, audited(after(0, ...entries)));
    const walk = async (
      order: 'oldest_first' | 'newest_first',
      partnerId: string | null,
    ): Promise<readonly number[]> => {
      const seen: number[] = [];
      for (;;) {
        const page = await store.listAudit({
          ...EVERY_ENTRY,
          partnerId,
          order,
          beyond: seen.at(-1) ?? null,
          limit: 2,
        });
        if (page.length === 0) return seen;
        assert.ok(page.length <= 2 && seen.length <= entries.length, `${order} does not end: ${seen.join(', ')}`);
        seen.push(...page.map(({ sequence }) => sequence));
      }
    };
    assert.deepEqual(await walk('oldest_first', null), [1, 2, 3, 4, 5]);
    assert.deepEqual(await walk('newest_first', null), [5, 4, 3, 2, 1]);
    assert.deepEqual(await walk('oldest_first', BOLT.partnerId), [1, 5]);
    assert.deepEqual(await walk('newest_first', ACME.partnerId), [4, 2]);
    const ofRequest = { ...EVERY_ENTRY, requestId: 'req_late', order: 'oldest_first', limit: 100 } as const;
    const [all, later] = [null, 4].map((beyond) => store.listAudit({ ...ofRequest, beyond }));
    assert.deepEqual(await all, entries.slice(3));
    assert.deepEqual(await later, entries.slice(4));
  },

  async 'lists the entries of an action or noun, of an actor or their access, of a mode or both, and of a time'(store) {
    const [actor, accessId] = [{ type: 'operator', id: 'bob' } as const, 'access_1'];
    const entries = [
      entry(1),
      { ...entry(2), action: 'key.issue', actor },
      { ...entry(3, null), action: 'key.revoke', actor: { ...actor, accessId } },
      { ...entry(4), action: 'key_limit.set', actor: { ...actor, id: 'access_1', accessId } },
      { ...entry(5), action: 'key.issue', mode: 'live' as const },
    ];
    await commit(store, audited(after(0, ...entries)));
    const expectListed = async (filter: Partial<AuditFilter>, expected: readonly number[]): Promise<void> => {
      const found: number[] = [];
      for (const beyond of [null, 3]) {
        const page = { ...EVERY_ENTRY, ...filter, order: 'oldest_first', beyond, limit: 3 } as const;
        const sequences = (await store.listAudit(page)).map(({ sequence }) => sequence);
        found.push(...sequences.filter((one) => !found.includes(one)));
      }
      assert.deepEqual(found, expected, JSON.stringify(filter));
    };
    await expectListed({ action: 'key' }, [2, 3, 5]);
    await expectListed({ action: 'key.issue' }, [2, 5]);
    await expectListed({ action: 'key.iss' }, []);
    await expectListed({ action: 'ke' }, []);
    await expectListed({ action: '%' }, []);
    await expectListed({ actor: 'bob' }, [2, 3]);
    await expectListed({ actor: 'access_1' }, [3, 4]);
    await expectListed({ mode: 'test' }, [1, 2, 3, 4]);
    await expectListed({ mode: 'live' }, [3, 5]);
    await expectListed({ from: T0 + 2, to: T0 + 4 }, [2, 3]);
    await expectListed({ action: 'key', actor: 'ada', partnerId: ACME.partnerId, from: T0 + 5 }, [5]);
  },
});

/** Not for a store without partners. */
export const savedAuditLaws = storeTopic('Store: audit trail of partners, keys and endpoints', {
  async 'saves a partner, key or endpoint together with its entries, or not at all'(store) {
    const key = aKey();
    const endpoint = anEndpoint();
    assert.equal(await store.save('partner', aPartner(), after(0, entry(1))), 'saved');
    assert.equal(await store.save('key', key, after(1, entry(2))), 'saved');
    assert.equal(await store.save('endpoint', endpoint, after(2, entry(3))), 'saved');
    const suspension = { partnerId: ACME.partnerId, suspendedAt: T0 };
    assert.equal(await store.save('suspension', suspension, after(2, entry(3))), 'stale');
    assert.equal(await store.save('partner', { ...aPartner(), name: 'Other' }, after(2, entry(3))), 'stale');
    assert.equal(await store.save('key', { ...key, revokedAt: T0 }, after(0, entry(1))), 'stale');
    assert.equal(await store.save('endpoint', { ...endpoint, url: null }, after(2, entry(3))), 'stale');
    assert.deepEqual(await store.findKey(key.hash), { key, partner: aPartner() });
    assert.deepEqual(await store.findEndpoint(ACME), endpoint);
    assert.deepEqual(
      (await trail(store)).map(({ sequence }) => sequence),
      [1, 2, 3],
    );
    assert.equal(await store.save('suspension', suspension, after(3, entry(4))), 'saved');
    assert.equal((await trail(store)).length, 4);
    assert.equal(await store.save('partner', { ...aPartner(), name: 'Unaudited' }), 'saved');
  },

  async 'gives each place in the trail to one of many racing changes and saves'(store) {
    let turn = 0;
    await raceForPlaces(store, async (audit) => {
      turn += 1;
      if (turn % 2 === 0) return (await store.commit(audited(audit))).kind === 'committed';
      return (await store.save('key', aKey(), audit)) === 'saved';
    });
  },
});

const RACERS = 8;

/** Each racer continues the trail as it finds it, until its entry is added. */
export async function raceForPlaces(
  store: Pick<Store, 'listAudit' | 'readSetting'>,
  take: (audit: AuditWrite) => Promise<boolean>,
): Promise<void> {
  const places = await Promise.all(
    Array.from({ length: RACERS }, async () => {
      for (;;) {
        const last = Number((await store.readSetting(AUDIT_HEAD_SETTING))?.slice('head '.length) ?? 0);
        if (await take(after(last, entry(last + 1)))) return last + 1;
      }
    }),
  );
  const all = Array.from({ length: RACERS }, (_, nth) => nth + 1);
  assert.deepEqual(
    places.toSorted((a, b) => a - b),
    all,
  );
  assert.deepEqual(
    (await trail(store)).map(({ sequence }) => sequence),
    all,
  );
}
