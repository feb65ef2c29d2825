import { join } from 'node:path';
import { postgresOperator, postgresStore } from '@gateramp/adapters-store-postgres';
import { openSqlite, sqliteOperator, sqliteStore } from '@gateramp/adapters-store-sqlite';
import { createTestGate, TEST_PARTNER, type TestGate } from '@gateramp/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { freshSchema, testPool } from '../../../packages/adapters-store-postgres/test/postgres-subject.js';
import { scratchFolder } from '../../../tests/services/scratch-folder.js';
import { ask, signedIn, type TestConsole, testConsole } from './console.js';

const STORES: Readonly<Record<string, () => Promise<TestGate>>> = {
  memory: () => createTestGate(),
  SQLite: () => {
    const file = openSqlite(join(scratchFolder('gate-console-audit-'), 'gate.db'));
    onTestFinished(() => file.close());
    return createTestGate({ ports: { store: sqliteStore(file), operator: sqliteOperator(file) } });
  },
  Postgres: async () => {
    const pool = await testPool(4);
    onTestFinished(() => pool.end());
    const schema = await freshSchema(pool);
    return createTestGate({
      ports: { store: postgresStore(pool, { schema }), operator: postgresOperator(pool, { schema }) },
    });
  },
};

interface Entry {
  readonly sequence: number;
  readonly action: string;
  readonly actor: { readonly id: string; readonly access_id: string | null };
  readonly mode: string | null;
  readonly partner_id: string | null;
  readonly at: string;
}

interface List {
  readonly data: readonly Entry[];
  readonly has_more: boolean;
}

const SCOPE = `partner=${TEST_PARTNER.id}&mode=test`;

/** A console that olga, who sees all partners, and lena, who sees one, enter by a header. */
function consoleOf({ gate }: TestGate): TestConsole {
  return testConsole(gate, {
    authorize: (request) => {
      const actor = request.headers.get('x-operator');
      return actor === null
        ? null
        : { actor, roles: ['viewer'], partners: actor === 'olga' ? 'all' : [TEST_PARTNER.id] };
    },
  });
}

const OLGA = { headers: { 'x-operator': 'olga' } };
const LENA = { headers: { 'x-operator': 'lena' } };

async function walk(console: TestConsole, path: string, limit: number): Promise<readonly Entry[]> {
  const found: Entry[] = [];
  for (;;) {
    const before = found.at(-1)?.sequence;
    const answer = await ask(console, `${path}&limit=${limit}${before === undefined ? '' : `&before=${before}`}`, OLGA);
    expect(answer.status).toBe(200);
    const { data, has_more: hasMore } = (await answer.json()) as List;
    found.push(...data);
    if (!hasMore) return found;
    expect(data).toHaveLength(limit);
  }
}

const endpointOf = (round: number) => ({
  url: `https://${round}.example/hook`,
  secret: `whsec_${round}`.padEnd(30, '0'),
});

describe.each(Object.entries(STORES))('the audit trail in the console, on %s', (_, testGate) => {
  it('lists by action, noun, actor, access and time, each entry on one page, whatever other modes and partners did', async () => {
    const test = await testGate();
    const console = consoleOf(test);
    const { admin } = test.gate;
    const other = await admin.createPartner({ name: 'Other', allowedOrigins: [] });
    const as = (id: string) => admin.as({ type: 'operator', id });
    for (let round = 0; round < 4; round += 1) {
      await as('ada').issueKey(TEST_PARTNER.id, { mode: 'test', type: 'secret' });
      for (const mode of ['test', 'live'] as const)
        await as('bob').setEndpoint({ partnerId: TEST_PARTNER.id, mode }, endpointOf(round));
      await as('ada').issueKey(other.id, { mode: 'test', type: 'secret' });
    }
    await signedIn(console, null, { actor: 'ida' });
    const trail = (await admin.audit.list()).map(({ sequence, at, partnerId, mode, action, actor }) => ({
      ...{ sequence, action, mode, partner_id: partnerId, at: new Date(at).toISOString() },
      actor: { id: actor.id, access_id: actor.accessId ?? null },
    }));
    const own = trail.filter(
      ({ partner_id: partner, mode }) => partner === TEST_PARTNER.id && (mode === null || mode === 'test'),
    );
    const [middle] = own.slice(Math.floor(own.length / 2));
    const at = middle?.at ?? '';
    const access = trail.find(({ actor }) => actor.access_id !== null)?.actor.access_id ?? '';
    expect(access).not.toBe('');
    const filters: Readonly<Record<string, (entry: Entry) => boolean>> = {
      '': () => true,
      'action=key.issue': ({ action }) => action === 'key.issue',
      'action=key': ({ action }) => action.startsWith('key.'),
      'action=console_access': ({ action }) => action.startsWith('console_access.'),
      'actor=ada': ({ actor }) => actor.id === 'ada',
      [`actor=${access}`]: ({ actor }) => actor.access_id === access,
      [`from=${at}`]: (entry) => entry.at >= at,
      [`to=${at}`]: (entry) => entry.at < at,
      'action=webhook_endpoint&actor=ada': () => false,
    };
    for (const [query, isWanted] of Object.entries(filters)) {
      for (const [path, all] of [
        [`/audit?${SCOPE}`, own],
        ['/trail?', trail],
      ] as const) {
        const found = await walk(console, `${path}&${query}`, 3);
        expect([path, query, found.map(({ sequence }) => sequence)]).toEqual([
          path,
          query,
          all.filter(isWanted).map(({ sequence }) => sequence),
        ]);
      }
    }
  });
});

describe('the trail of the installation', () => {
  it('is seen by operators of all partners only, and contains what belongs to no partner', async () => {
    const test = await createTestGate();
    const console = consoleOf(test);
    await signedIn(console, null, { actor: 'ida' });
    const shown = (await (await ask(console, '/trail?action=console_access.exchange', OLGA)).json()) as List;
    expect(shown.data.map(({ actor, partner_id: partner }) => [actor.id, partner])).toEqual([['ida', null]]);
    expect((await ask(console, '/trail', LENA)).status).toBe(404);
    const features = async (who: object) =>
      ((await (await ask(console, '/me', who)).json()) as { features: { trail: boolean } }).features;
    expect([(await features(OLGA)).trail, (await features(LENA)).trail]).toEqual([true, false]);
    const user = await signedIn(console, TEST_PARTNER.id, { role: 'admin' });
    expect((await ask(console, '/trail', { cookie: user })).status).toBe(403);
  });

  it.each(['action=', 'actor=', 'from=yesterday', 'to=2020-01-01', 'before=0', 'limit=101', 'noun=key'])(
    'validation_failed: is not listed by %s',
    async (query) => {
      const console = consoleOf(await createTestGate());
      for (const path of [`/trail?${query}`, `/audit?${SCOPE}&${query}`])
        expect((await ask(console, path, OLGA)).status).toBe(400);
    },
  );
});
