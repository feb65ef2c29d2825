import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ScratchDatabase } from '../../../tests/services/scratch-database.js';
import { DEMO_KEYS } from '../src/demo/demo-partner.js';
import { migratedDatabase, runGate } from './run-gate.js';
import { call, eventually, readyServer, type ReadyServer } from './running-server.js';

/** The demo partner. */
const PARTNER = '65f0de300000000000000001';
const KEY = { authorization: `Bearer ${DEMO_KEYS.secret}` };

/** Each command is a separate process. */
describe('gate partners suspend and reinstate', () => {
  let database: ScratchDatabase;
  let settings: Readonly<Record<string, string>>;
  let server: ReadyServer;
  const answered = async () => {
    const { status, json } = await call(`${server.origins.sandbox}/v1/gate_sessions`, KEY);
    return [status, json['code'] ?? null];
  };
  const gate = (command: string) => runGate(command, settings);

  beforeAll(async () => {
    ({ database, settings } = await migratedDatabase({ GATE_DEMO: 'on' }));
    server = await readyServer(settings);
  });
  afterAll(async () => {
    server?.process.kill('SIGKILL');
    await database.drop();
  });

  it('needs a reason and a confirmation, and a dry run changes nothing', async () => {
    expect(await gate(`partners suspend ${PARTNER}`)).toMatchObject({
      code: 2,
      err: expect.stringContaining("required option '--reason <text>' not specified"),
    });
    const suspend = `partners suspend ${PARTNER} --reason fraud`;
    expect(await gate(suspend)).toMatchObject({ code: 2, err: expect.stringContaining('Pass --yes to confirm.') });
    expect(await gate(`${suspend} --dry-run --json`)).toMatchObject({
      code: 0,
      out: JSON.stringify({ id: PARTNER, suspended_at: null }, null, 2),
      err: expect.stringMatching(
        /^Suspending .+ refuses its \d+ keys and new payments at its checkouts\. Nothing was changed\.$/,
      ),
    });
    expect(await gate('partners suspend unknown --reason fraud --yes')).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^No such partner/),
    });
    expect(await answered()).toEqual([200, null]);
  });

  it('partners pause and endpoints pause print what waits, and change nothing in a dry run', async () => {
    const paused = async (more: string) =>
      JSON.parse((await gate(`partners pause ${PARTNER} --json${more}`)).out) as {
        readonly endpoints: readonly { readonly mode: string; readonly partner_paused_at: string | null }[];
      };
    expect(await paused(' --dry-run')).toMatchObject({
      endpoints: [
        { mode: 'test', partner_paused_at: null },
        { mode: 'live', partner_paused_at: null },
      ],
    });
    expect((await paused('')).endpoints[0]?.partner_paused_at).toMatch(/^\d{4}-/);
    const place = `--partner ${PARTNER} --mode test`;
    expect(JSON.parse((await gate(`endpoints pause ${place} --dry-run --json`)).out)).toMatchObject({
      paused_at: null,
      partner_paused_at: expect.stringMatching(/^\d{4}-/),
    });
    expect((await gate(`partners resume ${PARTNER}`)).out).toBe(`Webhooks of ${PARTNER} are no longer paused.`);
  });

  it('takes effect in a running server, survives its restart, and is undone', async () => {
    const suspended = await gate(`partners suspend ${PARTNER} --reason fraud --yes`);
    expect(suspended.out).toMatch(new RegExp(`^${PARTNER} has been suspended since \\d{4}-`));
    // The store laws limit how long a server may use what it has read before.
    await eventually(async () => ((await answered())[0] === 403 ? true : null));
    expect(await answered()).toEqual([403, 'partner_suspended']);
    expect((await gate('partners list')).out).toMatch(new RegExp(`${PARTNER} .* suspended `));

    // The demo partner is saved again at every start, as the partners of a seed file are.
    server.process.kill('SIGTERM');
    await server.exited;
    server = await readyServer(settings);
    expect(await answered()).toEqual([403, 'partner_suspended']);
    expect(await gate(`partners suspend ${PARTNER} --reason again --yes`)).toMatchObject({
      code: 0,
      err: expect.stringContaining('already suspended'),
    });

    const reinstated = await gate(`partners reinstate ${PARTNER} --reason cleared --yes --json`);
    expect(JSON.parse(reinstated.out)).toEqual({ id: PARTNER, suspended_at: null });
    await eventually(async () => ((await answered())[0] === 200 ? true : null));
    const entries = JSON.parse((await gate(`audit list --partner ${PARTNER} --json`)).out) as readonly {
      readonly action: string;
      readonly reason: string | null;
      readonly actor: { readonly type: string };
    }[];
    // Suspending it once more changed nothing.
    expect(
      entries
        .filter(({ action }) => /^partner\.(suspend|reinstate)$/.test(action))
        .map(({ action, reason, actor }) => [action, reason, actor.type]),
    ).toEqual([
      ['partner.reinstate', 'cleared', 'cli'],
      ['partner.suspend', 'fraud', 'cli'],
    ]);
  });
});
