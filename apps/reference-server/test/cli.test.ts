import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call, readyServer, type ReadyServer } from './running-server.js';
import { runGate, type Ran } from './run-gate.js';
import { MASTER_KEY, OTHER_MASTER_KEY, scratchDatabase, type ScratchDatabase } from './scratch-database.js';

let database: ScratchDatabase;
let environment: Readonly<Record<string, string>>;

const gate = (command: string, settings = environment): Promise<Ran> => runGate(command, settings);

/** The columns of the row that begins with `start`. */
const rowOf = ({ out }: Ran, start: string): readonly string[] =>
  out
    .split('\n')
    .find((line) => line.startsWith(start))
    ?.split(/ {2,}/) ?? [];

describe('the gate command line', () => {
  let server: ReadyServer;
  beforeAll(async () => {
    database = await scratchDatabase();
    environment = { DATABASE_URL: database.url, GATE_MASTER_KEY: MASTER_KEY };
  }, 60_000);
  afterAll(async () => {
    server?.process.kill('SIGKILL');
    await database.drop();
  });

  it('says plainly what is missing: settings, tables, arguments', async () => {
    const [nothing, noTables, noName, noCommand] = await Promise.all([
      gate('partners list', {}),
      gate('partners list'),
      gate('partners create'),
      gate('partners destroy'),
    ]);
    expect(nothing).toEqual({
      code: 1,
      out: '',
      err: 'The command cannot run. 2 things are wrong:\n  DATABASE_URL: is not set; give the command what the server has.\n  GATE_MASTER_KEY: is not set; give the command what the server has.',
    });
    expect(noTables).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringMatching(/^The tables of Gateramp are not there, .* Run "gate migrate"/),
    });
    expect([noName.code, noName.err]).toEqual([
      1,
      "error: required option '--name <name>' not specified\n(add --help for what there is)",
    ]);
    expect(noCommand.code).toBe(1);
  });

  it('migrates once, whoever comes at the same time', async () => {
    const [one, two] = await Promise.all([gate('migrate'), gate('migrate')]);
    expect([one.code, two.code]).toEqual([0, 0]);
    expect([one.out, two.out].filter((out) => out.startsWith('Ran: tables'))).toHaveLength(1);
    expect((await gate('migrate', { DATABASE_URL: database.url })).out).toBe('The database is up to date.');
  });

  it('says plainly what cannot be used of what was typed, without a stack', async () => {
    const unnamed = await gate(`partners create --name ${'x'.repeat(201)}`);
    expect(unnamed).toEqual({
      code: 1,
      out: '',
      err: 'name must be a text of 1 to 200 characters; it is a text of 201 characters.',
    });
  });

  it('makes and changes a partner, whose keys a server then takes, lets expire and revokes', async () => {
    const created = await gate(
      'partners create --name Acme --origin https://shop.example --entitlement swap --quota 5',
    );
    expect(created.out).toMatch(/^[0-9a-f]{24}$/);
    const id = created.out;
    const updated = await gate(`partners update ${id} --live on --quota none`);
    expect(JSON.parse(updated.out)).toMatchObject({
      id,
      name: 'Acme',
      liveEnabled: true,
      entitlements: ['swap'],
      completedSessionsQuota: null,
    });
    expect(rowOf(await gate('partners list'), id)).toEqual([
      id,
      'Acme',
      'on',
      'off',
      'swap',
      '-',
      'https://shop.example',
    ]);

    const [first, second, ready] = await Promise.all([
      gate(`keys issue --partner ${id} --mode test`),
      gate(`keys issue --partner ${id} --mode test --expires 30d`),
      readyServer({ ...environment, GATE_ROLE: 'api' }),
    ]);
    server = ready;
    expect(first.out).toMatch(/^sk_test_[0-9A-Za-z]{32}$/);
    const codeWith = async (key: string) =>
      (await call(`${server.origins.sandbox}/v1/gate_sessions`, { authorization: `Bearer ${key}` })).json.code ?? 'ok';
    const keyIdOf = ({ err }: Ran): string => /id is ([0-9a-f]{16})/.exec(err)?.[1] ?? '';
    const lastUses = async () => {
      const list = await gate(`keys list --partner ${id}`);
      return [first, second].map((key) => rowOf(list, keyIdOf(key))[6]);
    };
    expect(await lastUses()).toEqual(['never', 'never']);
    const before = Date.now();
    expect([await codeWith(first.out), await codeWith(second.out)]).toEqual(['ok', 'ok']);
    // The server notes it beside the request, which has been answered by then.
    await expect
      .poll(async () => (await lastUses()).map((text) => Date.parse(text ?? '') >= before), { timeout: 5_000 })
      .toEqual([true, true]);

    const [revoked, expired] = await Promise.all([
      gate(`keys revoke ${keyIdOf(first)}`),
      gate(`keys expire ${second.out} --at now`),
    ]);
    expect([revoked.code, expired.code]).toEqual([0, 0]);
    // The server is another process: it may remember a key for two seconds.
    const codes = async () => [await codeWith(first.out), await codeWith(second.out)];
    await expect.poll(codes, { timeout: 5_000, interval: 100 }).toEqual(['revoked_api_key', 'expired_api_key']);
    const list = await gate(`keys list --partner ${id}`);
    expect([rowOf(list, keyIdOf(first))[4], rowOf(list, keyIdOf(second))[4]]).toEqual(['revoked', 'expired']);
    expect(list.out).not.toContain(first.out);
    // Only a key that is accepted is used, and what is noted outlives a revocation.
    expect(Date.parse(rowOf(list, keyIdOf(first))[6] ?? '')).toBeGreaterThanOrEqual(before);
    expect(await gate('keys revoke 0123456789abcdef')).toMatchObject({
      code: 1,
      err: 'There is no such key. See: gate keys list --partner <id>',
    });
  });

  it('makes a pool, funds it once a reference, lists what is in it, and shuts a partner out', async () => {
    const { out: id } = await gate('partners create --name Trader --live on --entitlement pools');
    const terms = '--asset USDC --network base --currency EUR --spread-bps 30 --fee-bps 20';
    expect((await gate(`pools save pool_a --partner ${id} ${terms}`)).out).toBe('pool_a is saved.');
    const fund = `pools fund pool_a --partner ${id} --currency EUR`;
    expect((await gate(`${fund} --amount 100.50 --reference first`)).out).toBe('Moved.');
    expect((await gate(`${fund} --amount 100.50 --reference first`)).out).toMatch(/^"first" was moved before/);
    expect(await gate(`${fund} --amount 105.00 --reference first`)).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^"first" has moved another amount of EUR before; nothing was moved\./),
    });
    expect(await gate(`${fund} --amount=-200 --reference second`)).toMatchObject({
      code: 1,
      err: 'pool_a has less than that available in EUR; nothing was moved.',
    });
    expect(await gate(`pools fund pool_b --partner ${id} --currency EUR --amount 1 --reference x`)).toMatchObject({
      code: 1,
      err: 'This partner has no pool of this poolId.',
    });
    const row = ['pool_a', 'USDC', 'base', 'EUR', '30 bps', '20 bps', '0 USDC, 100.5 EUR', '0 USDC, 0 EUR'];
    expect(rowOf(await gate(`pools list --partner ${id}`), 'pool_a')).toEqual(row);
    expect((await gate(`pools access --partner ${id} --status suspended`)).out).toBe(
      `${id} is suspended; its company is approved.`,
    );
  });

  it('sets an endpoint, shows its secret once, and seals it under a new master key', async () => {
    const { out: id } = await gate('partners create --name Hooked --id hooked');
    const set = await gate(`endpoints set --partner ${id} --mode test --url https://shop.example/hooks`);
    expect(set.out).toMatch(/^whsec_[0-9A-Za-z]{32}$/);
    const shown = await gate(`endpoints show --partner ${id} --mode test`);
    expect(shown.out).toMatch(/^URL {6}https:\/\/shop\.example\/hooks\nSecret {3}since \d{4}-/);
    expect(shown.out).not.toContain(set.out);
    expect(await gate(`endpoints set --partner ${id} --mode test --url ftp://x`)).toMatchObject({ code: 1, out: '' });

    const rotated = { DATABASE_URL: database.url, GATE_MASTER_KEY: OTHER_MASTER_KEY };
    expect((await gate('reseal', rotated)).err).toMatch(/^GATE_MASTER_KEY: .*add it to the old master keys\.$/);
    // The demo partner's is the other.
    expect((await gate('reseal', { ...rotated, GATE_MASTER_KEYS_OLD: MASTER_KEY })).out).toBe(
      '2 endpoints and 0 KYC packages are sealed under the present master key.',
    );
    // The old key is gone, and every secret still opens.
    expect((await gate('reseal', rotated)).code).toBe(0);
  });
});
