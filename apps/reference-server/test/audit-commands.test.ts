import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ScratchDatabase } from '../../../tests/services/scratch-database.js';
import { migratedDatabase, runGate } from './run-gate.js';

interface Entry {
  readonly sequence: number;
  readonly action: string;
  readonly actor: { readonly type: string; readonly id: string };
  readonly reason: string | null;
  readonly partner_id: string | null;
}

/** As before the one migration that needs no empty database: the functions for distributed tables. */
const WITHOUT_FUNCTIONS = `do $$ declare one text; begin
  drop table if exists gateramp.citus_migrations;
  for one in select oid::regprocedure::text from pg_proc where pronamespace = 'gateramp'::regnamespace
    and (proname like '%\\_of\\_partner' or proname = 'save_audited')
  loop execute 'drop function ' || one; end loop;
end $$`;

/** Each command is a separate process. */
describe('gate audit', () => {
  let database: ScratchDatabase;
  let settings: Readonly<Record<string, string>>;
  const gate = async (command: string) => {
    const ran = await runGate(command, settings);
    expect(ran.code, ran.err).toBe(0);
    return ran;
  };

  beforeAll(async () => {
    ({ database, settings } = await migratedDatabase());
  });

  afterAll(() => database.drop());

  it('records a migration of an installation, with a warning if its master key is not given', async () => {
    const own = await migratedDatabase();
    const migrate = async (more: Readonly<Record<string, string>> = {}) => {
      await own.database.query(WITHOUT_FUNCTIONS);
      const env = { ...own.settings, GATE_DATABASE_DISTRIBUTED: 'on', ...more };
      return runGate('migrate --actor ada --reason upgrade', env);
    };
    expect(await migrate()).toEqual({ code: 0, out: 'Ran: functions', err: '' });
    const partner = (await runGate('partners create --name Acme', own.settings)).out.trim();
    const list = async () => JSON.parse((await runGate('audit list --json', own.settings)).out) as readonly unknown[];
    expect(await list(), 'an empty database has no trail').toMatchObject([{ target: { id: partner } }]);
    expect(await migrate({ GATE_MASTER_KEY: '' })).toEqual({
      code: 0,
      out: 'Ran: functions',
      err: 'Warning: this is not recorded in the audit trail. GATE_MASTER_KEY is not set.',
    });
    expect(await migrate()).toMatchObject({ code: 0, err: '' });
    const { host, pathname } = new URL(own.database.url);
    const target = { type: 'database', id: `postgres://${host}${pathname}` };
    expect((await list())[0]).toMatchObject({
      ...{ action: 'installation.migrate', target, reason: 'upgrade', sequence: 2 },
      actor: { type: 'cli', id: 'ada' },
    });
    expect(await list()).toHaveLength(2);
    await own.database.drop();
  });

  it('records who made each change by a command and why, and notices an altered entry', async () => {
    const partner = (await gate('partners create --name Acme --actor ada')).out.trim();
    await gate(`keys issue --partner ${partner} --mode test --actor ada --reason rollout`);
    const [key] = JSON.parse((await gate(`keys list --partner ${partner} --json`)).out) as readonly { id: string }[];
    await gate(`keys revoke ${key?.id ?? ''} --yes`);
    await gate(`partners pause ${partner} --reason incident`);
    const entries = JSON.parse((await gate(`audit list --partner ${partner} --json`)).out) as readonly Entry[];
    expect(entries.map(({ action, reason }) => [action, reason])).toEqual([
      ['partner.pause', 'incident'],
      ['partner.pause', 'incident'],
      ['key.revoke', null],
      ['key.issue', 'rollout'],
      ['partner.create', null],
    ]);
    expect(entries[4]?.actor).toEqual({ type: 'cli', id: 'ada', access_id: null, vouched_by: null });
    expect(entries[2]?.actor.id).toMatch(/.+@.+/);
    expect((await gate('audit list --limit 1')).out).toContain('partner.pause');
    expect((await gate('audit list --limit 1')).out).toContain('partnerPausedAt: ');
    const listed = async (filter: string) =>
      (JSON.parse((await gate(`audit list ${filter} --json`)).out) as readonly Entry[]).map(({ sequence }) => sequence);
    expect(await listed('--action key')).toEqual([3, 2]);
    expect(await listed('--action key.issue')).toEqual([2]);
    expect(await listed('--actor ada')).toEqual([2, 1]);
    expect(await listed('--from 1h --action partner.create')).toEqual([1]);
    expect(await listed('--to 1h')).toEqual([]);

    const verified = await gate('audit verify');
    expect(verified.out).toMatch(/^The audit trail is intact: 5 entries/);
    const [again = ''] = /audit verify --at-least 5\.[0-9a-f]{64}$/.exec(verified.err) ?? [];
    await gate(again);
    expect(await runGate(again.replace('5.', '6.'), settings)).toMatchObject({
      ...{ code: 1, err: 'The audit trail is not intact from entry 6 on. Entry 6 is missing at the end.' },
    });
    expect(await runGate('audit verify --at-least 5', settings)).toMatchObject({ code: 2 });
    const hash = 'ab'.repeat(32);
    await database.query(`insert into gateramp.api_keys (hash, partner_id, row)
      select '${hash}', partner_id, (row::jsonb || '{"hash":"${hash}"}')::json from gateramp.api_keys limit 1`);
    const unrecorded = await runGate('audit verify', settings);
    expect(unrecorded).toMatchObject({ code: 1 });
    expect(unrecorded.err).toContain(`No entry records the creation of: key ${'ab'.repeat(8)} of partner ${partner}.`);
    await database.query(`delete from gateramp.api_keys where hash = '${hash}'`);

    await database.query(
      'update gateramp.audit_entries set row = (row::jsonb || \'{"reason": "none"}\')::json where sequence = 2',
    );
    const altered = await runGate('audit verify --json', settings);
    expect(altered.code).toBe(1);
    expect(JSON.parse(altered.out)).toMatchObject({ is_intact: false, sequence: 2 });
  });
});
