import { cutPage, DAY, HOUR, isOverdue, MINUTE, type PageRequest, type Session } from '@gateramp/core/domain';
import { emptyChange, type SessionFilter, type Store } from '@gateramp/core/ports';
import { rows } from '@gateramp/conformance';
import fc from 'fast-check';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { postgresStore } from './patient-store.js';
import { freshSchema, testPool } from './postgres-subject.js';
import { rowsReadAfresh } from './rows-read.js';

const NOW = rows.T0 + 10 * DAY;
const ALL: SessionFilter = {
  status: null,
  flow: null,
  currency: null,
  userReference: null,
  createdAfter: null,
  createdBefore: null,
};

let pool: pg.Pool;
let schema: string;
beforeAll(async () => {
  pool = await testPool();
  schema = await freshSchema(pool);
});
afterAll(() => pool.end());

describe('a page of one effective status', () => {
  const CROWD = 4_000;
  const scope = rows.ACME;

  /** Once before Postgres has statistics of the table, and once after. */
  beforeAll(async () => {
    await crowd(0, CROWD, NOW - DAY - 2 * HOUR);
    await crowd(CROWD, CROWD, NOW - 2 * HOUR);
    await pool.query(`update ${schema}.sessions set is_held = true where id like '%00'`);
  });

  async function crowd(from: number, count: number, since: number): Promise<void> {
    const id = `lpad(to_hex($3::bigint + n), 12, '0') || lpad(to_hex(n), 12, '0')`;
    await pool.query(
      `insert into ${schema}.sessions (partner_id, mode, id, version, status, currency, created_at, expires_at, is_held, row)
       select $1, $2, ${id}, 1, 'open', 'EUR', $3::bigint + n, $3::bigint + n + ${DAY}, false, json_build_object('id', ${id})
       from generate_series($4::int, $4::int + $5::int - 1) n`,
      [scope.partnerId, scope.mode, since, from, count],
    );
  }

  const middle = (nth: number, since: number): string =>
    (since + nth).toString(16).padStart(12, '0') + nth.toString(16).padStart(12, '0');
  const overdue = middle(CROWD / 2, NOW - DAY - 2 * HOUR);
  const live = middle(CROWD + CROWD / 2, NOW - 2 * HOUR);
  const starts: readonly PageRequest['start'][] = [
    { kind: 'newest' },
    ...[overdue, live].flatMap((id) => [{ kind: 'after', id } as const, { kind: 'before', id } as const]),
  ];

  for (const statistics of ['without statistics', 'with statistics']) {
    it(`reads little more than its own rows, whatever crowd lies between (${statistics})`, async () => {
      if (statistics === 'with statistics') await pool.query(`analyze ${schema}.sessions`);
      for (const status of ['open', 'expired'] as const) {
        for (const start of starts) {
          const read = await rowsReadAfresh(pool)((counted) =>
            postgresStore(counted, { schema }).list('session', scope, { ...ALL, status }, { start, limit: 10 }, NOW),
          );
          // Its rows of each group, the held ones, and a step for each group.
          expect(read, `${status} ${JSON.stringify(start)}`).toBeLessThan(60);
        }
      }
    });
  }
});

describe('pages of open and of expired sessions', () => {
  let runs = 0;

  it('hold the same sessions in the same order as the rule read row by row, whatever lifetimes and ids there are', () =>
    fc.assert(
      fc.asyncProperty(fc.array(aLife, { maxLength: 14 }), fc.integer({ min: 1, max: 4 }), async (lives, limit) => {
        const store = postgresStore(pool, { schema });
        const scope = { ...rows.ACME, partnerId: `partner-${(runs += 1)}` };
        const sessions = lives.map((life, nth) => lived(rows.aSession({ scope }).session, life, nth));
        await store.commit({
          ...emptyChange(scope, NOW),
          sessions: sessions.map((row) => ({ row, expectedVersion: null })),
        });
        for (const status of ['open', 'expired'] as const) {
          const expected = sessions
            .filter((session) => (isOverdue(session, NOW) ? 'expired' : session.status) === status)
            .map(({ id }) => id);
          const newestFirst = expected.sort().reverse();
          expect(await walked(store, { ...ALL, status }, scope, limit)).toEqual(newestFirst);
          for (const { id } of sessions) {
            expect(await pageBefore(store, { ...ALL, status }, scope, { limit, id })).toEqual(
              newestFirst.filter((other) => other > id).slice(-limit),
            );
          }
        }
      }),
      { numRuns: 40 },
    ));

  type Walk = (
    store: Store,
    filter: SessionFilter,
    scope: typeof rows.ACME,
    limit: number,
  ) => Promise<readonly string[]>;

  /** All pages, starting with the newest. */
  const walked: Walk = async (store, filter, scope, limit) => {
    const seen: string[] = [];
    for (;;) {
      const last = seen.at(-1);
      const request: PageRequest = {
        limit,
        start: last === undefined ? { kind: 'newest' } : { kind: 'after', id: last },
      };
      const page = cutPage(await store.list('session', scope, filter, request, NOW), request);
      seen.push(...page.items.map(({ id }) => id));
      if (!page.hasMore) return seen;
    }
  };

  async function pageBefore(
    store: Store,
    filter: SessionFilter,
    scope: typeof rows.ACME,
    { limit, id }: { limit: number; id: string },
  ): Promise<readonly string[]> {
    const request: PageRequest = { limit, start: { kind: 'before', id } };
    return cutPage(await store.list('session', scope, filter, request, NOW), request).items.map(
      (session) => session.id,
    );
  }
});

interface Life {
  /** The time in its id, or the prefix of an id without one. */
  readonly made: number | string;
  readonly expiresAt: number;
  readonly state: 'open' | 'held' | 'expired' | 'cancelled';
}

/** Around now, to the millisecond, where all boundaries are; and anywhere else. */
const anInstant = fc.oneof(
  fc.integer({ min: -1_001, max: 1_001 }).map((past) => NOW + past),
  fc.integer({ min: NOW - 2 * DAY, max: NOW + 2 * DAY }),
  fc.constantFrom(NOW - 1, NOW, NOW + 1),
  fc.constantFrom(0, 999, NOW - MINUTE, 2 ** 48 - 1),
);

const aLife: fc.Arbitrary<Life> = fc.oneof(
  fc.record({ made: anInstant, expiresAt: anInstant, state: fc.constantFrom('open', 'held', 'expired', 'cancelled') }),
  // As the engine creates them: one of a few lifetimes after the time in the id, or a little later.
  fc
    .record({
      expiresAt: anInstant,
      lifetime: fc.constantFrom(DAY, HOUR, 1_500),
      late: fc.constantFrom(0, 1, 999, 1_000),
      state: fc.constantFrom('open', 'held'),
    })
    .map(({ expiresAt, lifetime, late, state }) => ({
      made: Math.max(0, expiresAt - lifetime - late),
      expiresAt,
      state,
    })),
  fc.record({
    made: fc.constantFrom('', '-', 'Zebra', 'zebra', '0'),
    expiresAt: anInstant,
    state: fc.constantFrom('open', 'held'),
  }),
);

function lived(session: Session, { made, expiresAt, state }: Life, nth: number): Session {
  const id =
    (typeof made === 'number' ? made.toString(16).padStart(12, '0') : made) + nth.toString(16).padStart(4, '0');
  return {
    ...session,
    id,
    expiresAt,
    heldSince: state === 'held' ? NOW : null,
    status: state === 'held' ? 'open' : state,
  };
}
