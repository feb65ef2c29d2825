import { readFileSync } from 'node:fs';
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { scratchDatabase } from '../../../tests/services/scratch-database.js';
import { MASTER_KEY } from './master-keys.js';
import { runGate } from './run-gate.js';
import { buyOnce, call, eventually, hooksOf, readyServer } from './running-server.js';

const DOCS = new URL('../../../docs/operating.md', import.meta.url);

/** The statements that the documents list for the role `gate_app` and the database `gate`. */
function documented(): readonly string[] {
  const [, block = ''] = /```sql\n(grant connect on database gate [^`]*)```/.exec(readFileSync(DOCS, 'utf8')) ?? [];
  return block.split(';\n').filter(Boolean);
}

it.each(['gate migrate --grant-to', 'the documents'] as const)(
  'a server runs as a role that has just the grants of %s',
  async (source) => {
    const { url } = await scratchDatabase();
    const owner = new pg.Client({ connectionString: url });
    await owner.connect();
    const database = new URL(url).pathname.slice(1);
    const role = `app_${database}`;
    await owner.query(`create role "${role}" login password 'app'`);
    onTestFinished(async () => {
      await owner.query(`drop owned by "${role}"`);
      await owner.query(`drop role "${role}"`);
      await owner.end();
    });
    // As in hardened databases.
    await owner.query(`revoke all on database "${database}" from public`);
    await owner.query('alter default privileges revoke execute on functions from public');
    const asOwner = { DATABASE_URL: url, GATE_MASTER_KEY: MASTER_KEY };
    const migrated = await runGate(source === 'the documents' ? 'migrate' : `migrate --grant-to ${role}`, asOwner);
    expect(migrated.code, migrated.err).toBe(0);
    if (source === 'the documents')
      for (const statement of documented())
        await owner.query(
          statement.replace('database gate ', `database "${database}" `).replace(/gate_app/g, `"${role}"`),
        );

    const app = new URL(url);
    app.username = role;
    app.password = 'app';
    const settings = { DATABASE_URL: app.href, GATE_MASTER_KEY: MASTER_KEY, GATE_ALLOW_PRIVATE_WEBHOOKS: 'on' };
    const server = await readyServer(settings);
    onTestFinished(() => void server.process.kill('SIGKILL'));
    expect((await call(`${server.origins.ops}/ready`)).json).toMatchObject({ status: 'ready', cause: null });
    const id = await buyOnce(server.origins);
    await eventually(async () =>
      (await hooksOf(server.origins.demo, id)).find(({ type }) => type === 'gate_session.completed'),
    );
    for (const command of ['partners list --json', 'work processes --json', 'audit verify', `show ${id}`]) {
      const ran = await runGate(command, settings);
      expect(ran.code, ran.err).toBe(0);
    }
    expect(server.stderr()).not.toContain('permission denied');
  },
);

it('gate migrate --grant-to names a role that does not exist', async () => {
  const { url } = await scratchDatabase();
  const ran = await runGate('migrate --grant-to nobody_here', { DATABASE_URL: url, GATE_MASTER_KEY: MASTER_KEY });
  expect([ran.code, ran.err]).toEqual([1, expect.stringContaining('no role "nobody_here"')]);
});

it('gate migrate --grant-to by a user who does not own the tables names what it may not grant', async () => {
  const { url } = await scratchDatabase();
  await runGate('migrate', { DATABASE_URL: url, GATE_MASTER_KEY: MASTER_KEY });
  const owner = new pg.Client({ connectionString: url });
  await owner.connect();
  const role = `other_${new URL(url).pathname.slice(1)}`;
  await owner.query(`create role "${role}" login password 'app'`);
  onTestFinished(async () => {
    await owner.query(`drop owned by "${role}"`);
    await owner.query(`drop role "${role}"`);
    await owner.end();
  });
  await owner.query(`grant usage on schema gateramp to "${role}"`);
  await owner.query(`grant select on gateramp.migrations to "${role}"`);
  const other = new URL(url);
  other.username = role;
  other.password = 'app';
  const ran = await runGate('migrate --grant-to pg_monitor', { DATABASE_URL: other.href, GATE_MASTER_KEY: MASTER_KEY });
  expect(ran).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^The command cannot run\. Fix this problem:\n.+permission denied for .+\.$/),
  });
});
