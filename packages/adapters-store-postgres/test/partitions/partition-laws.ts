import assert from 'node:assert/strict';
import { changes, rows, type Law, type StoreSubject } from '@gateramp/conformance';
import { cancel, DAY } from '@gateramp/core/domain';
import type pg from 'pg';
import { DROP_GROUPS, postgresPartitions } from '../../src/index.js';
import { postgresStore } from '../patient-store.js';
import { freshSchema } from '../postgres-subject.js';
import { partitionedSchema } from './partitioned-schema.js';

const MONTH = 31 * DAY;
const FIRST = rows.T0 + 1;
const NOW = rows.T0 + 13 * MONTH;

/** What conversions, drops and merges keep. Faults are planted against these; the tests of this folder say more. */
export const partitionLaws = (pool: () => pg.Pool): readonly Law<StoreSubject>[] => [
  {
    topic: 'Partitions',
    title: 'refuse an event of another month, whether it is older than the partitions or not',
    async run() {
      const schema = await freshSchema(pool());
      const store = postgresStore(pool(), { schema });
      const older = rows.aPartnerEvent(rows.ACME, rows.T0);
      assert.deepEqual(await store.commit(changes.eventOnly(older)), { kind: 'committed' });
      await postgresPartitions(pool(), { schema }).on(rows.T0);
      const newer = rows.aPartnerEvent(rows.ACME, rows.T0 + DAY);
      assert.deepEqual(await store.commit(changes.eventOnly(newer)), { kind: 'committed' });
      for (const event of [older, newer]) {
        const again = { ...event, createdAt: rows.T0 + 2 * MONTH };
        assert.deepEqual(await store.commit(changes.eventOnly(again)), { kind: 'stale' });
      }
    },
  },
  {
    topic: 'Partitions',
    title: 'drop a month after all of its rows are archived, refuse them afterwards, and keep one that is not finished',
    async run() {
      const schema = await partitionedSchema(pool(), [FIRST, FIRST + MONTH, FIRST + 2 * MONTH]);
      const store = postgresStore(pool(), { schema });
      const gone = changes.sessionCreation({ at: rows.T0 });
      await store.commit(gone.change);
      await store.commit(changes.transition(gone.session, cancel(gone.session)._unsafeUnwrap(), rows.T0));
      const paying = changes.sessionCreation({ at: FIRST + DAY });
      await store.commit(paying.change);
      await store.commit(changes.beginning(paying.session, rows.aPurchase(paying.session, FIRST + DAY), FIRST + DAY));
      await pool().query(`delete from "${schema}".deliveries; delete from "${schema}".delivery_queue`);
      const archived: string[] = [];
      const order = { before: FIRST + MONTH, groups: DROP_GROUPS, now: NOW };
      const { kept } = await postgresPartitions(pool(), { schema }).drop(order, async ({ table, rows: read }) => {
        for await (const page of read()) archived.push(...page.map(() => table));
      });
      assert.deepEqual(archived.toSorted(), ['events', 'events', 'events', 'sessions']);
      assert.ok(
        kept.some(({ tables }) => tables.includes('transactions')),
        'a payment in progress was dropped',
      );
      assert.equal(await store.find('session', rows.ACME, gone.session.id), null);
      assert.notEqual(await store.find('session', rows.ACME, paying.session.id), null);
      assert.deepEqual(await store.commit({ ...gone.change, events: [], deliveries: [] }), { kind: 'stale' });
      const [event] = gone.change.events;
      assert.ok(event !== undefined);
      const again = changes.eventOnly({ ...event, createdAt: FIRST + MONTH + 1 });
      assert.deepEqual(await store.commit({ ...again, deliveries: [] }), { kind: 'stale' });
    },
  },
  {
    topic: 'Partitions',
    title: 'become one table with all changes that were made meanwhile',
    async run() {
      const schema = await partitionedSchema(pool(), [FIRST, FIRST + MONTH]);
      const store = postgresStore(pool(), { schema });
      for (let nth = 0; nth < 20; nth += 1)
        await store.commit(changes.sessionCreation({ at: nth % 2 === 0 ? rows.T0 : FIRST + DAY }).change);
      let isDone = false;
      const written: string[] = [];
      const write = async (): Promise<void> => {
        while (!isDone) {
          const { session, change } = changes.sessionCreation({ at: rows.T0 });
          await store.commit(change);
          await store.commit(changes.transition(session, cancel(session)._unsafeUnwrap(), rows.T0));
          written.push(session.id);
        }
      };
      const writing = Promise.all([write(), write(), write()]);
      await postgresPartitions(pool(), { schema }).off();
      isDone = true;
      await writing;
      const { rows: found } = await pool().query(
        `select count(*)::int as sessions, count(*) filter (where status = 'cancelled')::int as cancelled from "${schema}".sessions`,
      );
      assert.deepEqual(found, [{ sessions: 20 + written.length, cancelled: written.length }]);
    },
  },
];
