import assert from 'node:assert/strict';
import { DEFAULT_POLICY } from '@gateramp/core';
import { recordDeliveryAttempt } from '@gateramp/core/domain';
import { emptyChange } from '@gateramp/core/ports';
import { aCreate, changes, rows, type Law, type StoreSubject } from '@gateramp/conformance';
import { stillScheduler } from '@gateramp/testing';
import type pg from 'pg';
import { withTransaction } from '../src/index.js';
import { postgresStore } from './patient-store.js';
import { partitionLaws } from './partitions/partition-laws.js';
import { ACCEPTED, freshSchema } from './postgres-subject.js';

/** A finished transaction: its statement, whether it wrote, and the setting that its commit waited by. */
export interface Ended {
  readonly text: string;
  readonly wrote: boolean;
  readonly synchronousCommit: string;
}

/** The pool, with each statement in a transaction that reports before its end whether its commit waits for the disk. */
export function watchingCommits(pool: pg.Pool, ended: Ended[]): pg.Pool {
  const query = async (statement: pg.QueryConfig): Promise<pg.QueryResult> => {
    const client = await pool.connect();
    try {
      await client.query('begin');
      const answer = await client.query(statement);
      const { rows: found } = await client.query<Omit<Ended, 'text'>>(
        `select current_setting('synchronous_commit') as "synchronousCommit", pg_current_xact_id_if_assigned() is not null as wrote`,
      );
      ended.push(...found.map((one) => ({ ...one, text: statement.text })));
      await client.query('commit');
      return answer;
    } finally {
      client.release();
    }
  };
  return new Proxy(pool, {
    get: (target, name) => (name === 'query' ? query : Reflect.get(target, name, target)) as unknown,
  });
}

/** Laws that need Postgres itself, beyond those of every store. */
export const postgresLaws = (pool: () => pg.Pool): readonly Law<StoreSubject>[] => [
  diskLaw(pool),
  shareLaw(pool),
  ...partitionLaws(pool),
];

const aClaim = (token: string) =>
  ({ now: rows.nowIn(rows.T0), lane: 'first', limit: 1, perEndpoint: 1, leaseMs: 60_000, token }) as const;

/** Whether an acknowledged write would survive a crash of the machine. */
function diskLaw(pool: () => pg.Pool): Law<StoreSubject> {
  return {
    topic: 'Store: what is on the disk',
    title: 'waits for the disk before it acknowledges a commit, a result or anything saved',
    async run() {
      const schema = await freshSchema(pool());
      const sound = postgresStore(pool(), { schema });
      const ended: Ended[] = [];
      const store = postgresStore(watchingCommits(pool(), ended), { schema });
      await store.commit(aCreate('key'));
      await store.commit({ ...emptyChange(rows.ACME, rows.T0), once: ['mark'] });
      const token = rows.aUuid();
      for (const { delivery } of await sound.claim('delivery', aClaim(token))) {
        const { delivery: next, attempt } = recordDeliveryAttempt(delivery, ACCEPTED, rows.T0, DEFAULT_POLICY);
        await store.recordDelivery({ leaseToken: token, next, attempt });
      }
      await store.save('partner', rows.aPartner());
      await store.save('key', rows.aKey());
      await store.swapSetting('name', null, 'value');
      await store.registerConsumers([{ name: 'grant', type: 'gate_session.completed' }]);
      const writing = ended.filter(({ wrote }) => wrote);
      assert.ok(writing.length >= 7, `only ${writing.length} statements wrote`);
      for (const { text, synchronousCommit } of writing)
        assert.equal(synchronousCommit, 'on', `acknowledged before it is on the disk: ${text.slice(0, 80)}`);
    },
  };
}

/** Claims of one lane are serialized: one that did not wait would miss leases that it cannot see yet. */
function shareLaw(pool: () => pg.Pool): Law<StoreSubject> {
  return {
    topic: 'Store: claims that are under way',
    title:
      'gives an endpoint no more than its share while another claim has not ended, also when older work comes late',
    async run() {
      const schema = await freshSchema(pool());
      const store = postgresStore(pool(), { schema });
      const due = (at: number): Promise<unknown> => {
        const event = rows.aPartnerEvent(rows.ACME, at);
        return store.commit(changes.eventOnly(event, rows.aDelivery(event, at)));
      };
      await due(rows.T0);
      const claim = { ...aClaim(rows.aUuid()), limit: 10 };
      const client = await pool().connect();
      try {
        await client.query('begin');
        const within = withTransaction(client, { schema, scheduler: stillScheduler() }).store;
        const first = await within.claim('delivery', claim);
        await due(rows.T0 - 1);
        let hasEnded = false;
        const second = store.claim('delivery', { ...claim, token: rows.aUuid() }).finally(() => (hasEnded = true));
        while (!hasEnded && !(await isWaiting(pool()))) await new Promise((resolve) => setImmediate(resolve));
        await client.query('commit');
        assert.deepEqual(
          [first.length, (await second).length],
          [1, 0],
          'an endpoint has more live leases than its share',
        );
      } finally {
        client.release(true);
      }
    },
  };
}

/** Whether a claim waits for another. */
async function isWaiting(pool: pg.Pool): Promise<boolean> {
  const { rowCount } = await pool.query("select from pg_locks where locktype = 'advisory' and not granted");
  return (rowCount ?? 0) > 0;
}
