import { randomBytes } from 'node:crypto';
import { noRateLimits } from '@gateramp/adapters-store-memory';
import { createGate, type CreateGateSession, type Gate } from '@gateramp/core';
import { newDelivery } from '@gateramp/core/domain';
import { emptyChange } from '@gateramp/core/ports';
import { rows } from '@gateramp/conformance';
import { stillScheduler, TEST_PARTNER, testTelemetry } from '@gateramp/testing';
import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { postgresStore } from './patient-store.js';
import { probe } from '../src/polling-scheduler.js';
import { LanePositions } from '../src/work/lane-positions.js';
import { pooled } from '../src/database.js';
import { freshSchema, testPool } from './postgres-subject.js';

const ACME = { partnerId: TEST_PARTNER.id, mode: 'test' } as const;
const BODY: CreateGateSession = { amount: '100.00', currency: 'EUR', return_url: 'https://shop.example/done' };
const CREATED = 'gate_session.created';

let pool: pg.Pool;
let schema: string;
beforeAll(async () => {
  pool = await testPool();
});
beforeEach(async () => {
  schema = await freshSchema(pool);
});
afterAll(() => pool.end());

const masterKey = randomBytes(32);

/** One process of the installation, as seen by the store. */
function aProcess(): Gate {
  const store = postgresStore(pool, { schema });
  return createGate({
    store,
    scheduler: stillScheduler(),
    limits: noRateLimits(),
    providers: [],
    masterKey,
    telemetry: testTelemetry(),
  });
}

it('owes every event to a consumer that another process registers amid commits, from the moment its start has resolved', async () => {
  const [busy, joining] = [aProcess(), aProcess()];
  await busy.admin.savePartner(TEST_PARTNER);
  joining.on(CREATED, 'grant-value', () => undefined);
  let hasStarted = false;
  const after: string[] = [];
  const create = async (): Promise<void> => {
    const isAfter = hasStarted;
    const { id } = (await busy.sessions.create(ACME, BODY))._unsafeUnwrap();
    if (isAfter) after.push(id);
  };
  const shoppers = Array.from({ length: 12 }, async () => {
    while (after.length < 200) await create();
  });
  await create();
  await joining.start();
  hasStarted = true;
  await Promise.all(shoppers);
  await joining.stop();
  const { rows: owed } = await pool.query<{ id: string }>(
    `select distinct e.session_id as id from ${schema}.deliveries d join ${schema}.events e on e.id = d.event_id where d.row->>'target' = 'consumer:grant-value'`,
  );
  const ids = new Set(owed.map(({ id }) => id));
  expect(after.filter((id) => !ids.has(id))).toEqual([]);
});

it('gives no two registrations of many processes the same version', async () => {
  const names = Array.from({ length: 16 }, (_, nth) => `consumer-${nth}`);
  await Promise.all(names.map((name) => postgresStore(pool, { schema }).registerConsumers([{ name, type: CREATED }])));
  const { rows: found } = await pool.query<{ versions: string }>(
    `select count(distinct version) as versions from ${schema}.consumers`,
  );
  expect(Number(found[0]?.versions)).toBe(names.length);
});

it('wakes a poller once for what another process owes to a consumer, and not for ever if it is not taken', async () => {
  const store = postgresStore(pool, { schema });
  const look = probe(pooled(pool, { queryTimeoutMs: 5_000, preparedStatements: false }), new LanePositions(), schema);
  await store.registerConsumers([{ name: 'grant-value', type: CREATED }]);
  expect(await look()).toBe('nothing');
  const event = { ...rows.aPartnerEvent(rows.ACME, rows.T0), type: CREATED };
  const row = newDelivery({ ...ids(event), id: rows.anId(rows.T0), target: 'consumer:grant-value' }, rows.T0);
  await store.commit({ ...emptyChange(rows.ACME, rows.T0), events: [event], deliveries: [{ row, when: 'always' }] });
  expect([await look(), await look(), await look()]).toEqual(['new', 'nothing', 'nothing']);
});

function ids(event: ReturnType<typeof rows.aPartnerEvent>) {
  return { eventId: event.id, eventType: event.type, sessionId: null, partnerId: event.partnerId, mode: event.mode };
}
