import { createServer } from 'node:http';
import { VERSION } from '@gateramp/core/http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call, readyServer, type ReadyServer } from './running-server.js';
import { runGate, type Ran } from './run-gate.js';
import { createScratchDatabase, type ScratchDatabase } from '../../../tests/services/scratch-database.js';
import { MASTER_KEY, OTHER_MASTER_KEY } from './master-keys.js';

let database: ScratchDatabase;
let environment: Readonly<Record<string, string>>;

const gate = (command: string, settings = environment, input = ''): Promise<Ran> => runGate(command, settings, input);

/** Live mode on the sandbox. */
const LIVE = () => ({ ...environment, GATE_LIVE_SANDBOX: 'on' });

/** The columns of the row that begins with `start`. */
const rowOf = ({ out }: Ran, start: string): readonly string[] =>
  out
    .split('\n')
    .find((line) => line.startsWith(start))
    ?.split(/ {2,}/) ?? [];

const keyIdOf = ({ err }: Ran): string => /id is ([0-9a-f]{16})/.exec(err)?.[1] ?? '';

/** Each command is a separate process. */
describe('the gate command line', () => {
  let server: ReadyServer;
  beforeAll(async () => {
    database = await createScratchDatabase();
    environment = { DATABASE_URL: database.url, GATE_MASTER_KEY: MASTER_KEY };
  });
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
      err: 'The command cannot run. Fix these 2 problems:\n  DATABASE_URL: is not set. Set it to the same value as for the server.\n  GATE_MASTER_KEY: is not set. Set it to the same value as for the server.',
    });
    expect(noTables).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringMatching(/^The Gateramp tables are missing .* Run "gate migrate"/),
    });
    expect([noName.code, noName.err]).toEqual([
      2,
      "error: required option '--name <name>' not specified\n(run with --help for usage)",
    ]);
    expect(noCommand.code).toBe(2);
  });

  it('migrates once, also when several start at the same time', async () => {
    const [one, two] = await Promise.all([gate('migrate'), gate('migrate')]);
    expect([one.code, two.code]).toEqual([0, 0]);
    expect([one.out, two.out].filter((out) => out === 'Ran: schema')).toHaveLength(1);
    expect((await gate('migrate', { DATABASE_URL: database.url })).out).toBe('The database is up to date.');
  });

  it('says plainly what cannot be used of what was typed, without a stack', async () => {
    const unnamed = await gate(`partners create --name ${'x'.repeat(201)}`);
    expect(unnamed).toEqual({
      code: 2,
      out: '',
      err: 'name must be a string of 1 to 200 characters; it is a string of 201 characters.',
    });
  });

  it('takes the actor and the reason of every change of pools, and records them', async () => {
    const by = '--actor jane --reason ticket-1';
    const id = (await gate(`partners create --name Pooled --origin https://shop.example --entitlement pools ${by}`))
      .out;
    for (const change of [
      `save pool_by --partner ${id} --asset USDC --network base --currency EUR --spread-bps 30 --fee-bps 20`,
      `fund pool_by --partner ${id} --currency EUR --amount 5 --reference transfer-1`,
      `access --partner ${id} --status suspended --kyc pending`,
    ])
      expect(await gate(`pools ${change} ${by}`), change).toMatchObject({ code: 0, err: '' });
    const entries = JSON.parse((await gate(`audit list --partner ${id} --json`)).out) as readonly object[];
    expect(entries).toHaveLength(4);
    for (const entry of entries) expect(entry).toMatchObject({ actor: { id: 'jane' }, reason: 'ticket-1' });
  });

  it('restricts a partner, list by list, and takes restrictions back', async () => {
    const id = (await gate('partners create --name Narrow --origin https://shop.example')).out;
    const restrictionsAfter = async (options: string) =>
      JSON.parse((await gate(`partners update ${id} ${options}`)).out).restrictions;
    expect(
      await restrictionsAfter(
        '--restrict-payment-methods card,bank_transfer --restrict-countries de --restrict-countries US --restrict-limits eur:10-500,on_ramp/card/USD:-50',
      ),
    ).toEqual({
      payment_methods: ['card', 'bank_transfer'],
      countries: ['DE', 'US'],
      limits: [
        { flow: null, payment_method: null, currency: 'EUR', min_amount: '10', max_amount: '500' },
        { flow: 'on_ramp', payment_method: 'card', currency: 'USD', min_amount: null, max_amount: '50' },
      ],
    });
    const left = { payment_methods: ['card', 'bank_transfer'], assets: ['USDC@base'] };
    expect(
      await restrictionsAfter('--restrict-assets USDC@base --restrict-countries none --restrict-limits none'),
    ).toEqual(left);
    expect(await restrictionsAfter('--name Narrower')).toEqual(left);
    const listed = JSON.parse((await gate('partners list --json')).out) as readonly { readonly id: string }[];
    expect(listed.find((one) => one.id === id)).toMatchObject({ restrictions: left });
    for (const wrong of ['--restrict-flows sell', '--restrict-countries Germany', '--restrict-limits EUR:500-10'])
      expect(await gate(`partners update ${id} ${wrong}`)).toMatchObject({
        code: 2,
        out: '',
        err: expect.stringContaining(wrong.split(' ')[0] ?? ''),
      });
    expect(await restrictionsAfter('--restrict-payment-methods none --restrict-assets none')).toBeNull();
  });

  it('makes and changes a partner, whose keys a server then takes, lets expire and revokes', async () => {
    const created = await gate(
      'partners create --name Acme --origin https://shop.example --entitlement swap --quota 5',
    );
    expect(created.out).toMatch(/^[0-9a-f]{24}$/);
    const id = created.out;
    const unsure = await gate(`partners update ${id} --live on`);
    expect(unsure).toMatchObject({
      code: 0,
      err: expect.stringMatching(/^The settings of this shell name no provider/),
    });
    expect(JSON.parse(unsure.out)).toMatchObject({ id, live_enabled: true });
    const updated = await gate(
      `partners update ${id} --live on --quota none --rate-limit-factor 20 --saved-payment-methods on`,
      LIVE(),
    );
    expect(updated.err).toBe(
      'Live mode runs on the sandbox provider (GATE_LIVE_SANDBOX=on): no real money moves there either.',
    );
    expect(JSON.parse(updated.out)).toMatchObject({
      id,
      name: 'Acme',
      live_enabled: true,
      entitlements: ['swap'],
      completed_sessions_quota: null,
      rate_limit_factor: 20,
      saved_payment_methods: true,
    });
    expect(rowOf(await gate('partners list'), id)).toEqual([
      id,
      'Acme',
      'on',
      'off',
      'on',
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
    const lastUses = async () => {
      const list = await gate(`keys list --partner ${id}`);
      return [first, second].map((key) => rowOf(list, keyIdOf(key))[6]);
    };
    expect(await lastUses()).toEqual(['never', 'never']);
    const before = Date.now();
    expect([await codeWith(first.out), await codeWith(second.out)]).toEqual(['ok', 'ok']);
    // The server records it concurrently with the request, which has been answered by then.
    await expect
      .poll(async () => (await lastUses()).map((text) => Date.parse(text ?? '') >= before))
      .toEqual([true, true]);

    const [revoked, expired] = await Promise.all([
      gate(`keys revoke ${keyIdOf(first)} --yes`),
      gate(`keys expire ${second.out} --at now --yes`),
    ]);
    expect([revoked.code, expired.code]).toEqual([0, 0]);
    // The server is another process: it may cache a key for two seconds.
    const codes = async () => [await codeWith(first.out), await codeWith(second.out)];
    await expect.poll(codes, { interval: 100 }).toEqual(['revoked_api_key', 'expired_api_key']);
    const list = await gate(`keys list --partner ${id}`);
    expect([rowOf(list, keyIdOf(first))[4], rowOf(list, keyIdOf(second))[4]]).toEqual(['revoked', 'expired']);
    expect(list.out).not.toContain(first.out);
    // Only accepted keys count as used, and the record survives a revocation.
    expect(Date.parse(rowOf(list, keyIdOf(first))[6] ?? '')).toBeGreaterThanOrEqual(before);
    expect(await gate('keys revoke 0123456789abcdef')).toMatchObject({
      code: 1,
      err: 'No such key. List keys with: gate keys list --partner <id>',
    });
  });

  it('takes a secret from standard input, and from an argument with a warning that names the alternative', async () => {
    const { out: id } = await gate('partners create --name Piped');
    const secret = 'whsec_9fQ2bTzW1kLmX7cVn2Rs4yUe6iOp8aSd';
    const set = `endpoints set --partner ${id} --mode test --url https://shop.example/hooks --secret`;
    expect(await gate(`${set} -`, environment, `${secret}\n`)).toMatchObject({
      code: 0,
      out: '',
      err: expect.not.stringContaining('Warning'),
    });
    const warned = await gate(`${set} ${secret}`);
    expect(warned).toMatchObject({ code: 0, err: expect.stringMatching(/^Warning: .*--secret as "-"/) });
    expect(warned.err).not.toContain(secret);

    const { out: key } = await gate(`keys issue --partner ${id} --mode test`);
    expect(await gate('keys expire - --at 1h', environment, key)).toMatchObject({ code: 0, err: '' });
    expect((await gate(`keys revoke ${key} --yes`)).err).toMatch(/^Warning: /);
  });

  it('refuses a name with control or format characters, and escapes those of rows written before', async () => {
    for (const name of ['Acme\u001b[2J', 'Acme\u202e'])
      expect(await gate(`partners create --name ${name}`)).toEqual({
        code: 2,
        out: '',
        err: `name must not contain control or format characters; it is a string of ${name.length} characters.`,
      });
    const { out: id } = await gate('partners create --name Before');
    await database.query(
      String.raw`update gateramp.partners set row = replace(row::text, '"Before"', '"Be\u001b[2Jfore"')::json where id = '${id}'`,
    );
    const list = await gate('partners list');
    expect(list.out).not.toMatch(/[^\P{C}\n]/u);
    expect(list.out).toContain(String.raw`Be\u001b[2Jfore`);
  });

  it('prints the version of the server', async () => {
    expect(await gate('--version', {})).toEqual({ code: 0, out: VERSION, err: '' });
  });

  it('exits with 0 for help that was asked for, and with 2 for help that was not', async () => {
    const [asked, bare] = await Promise.all([gate('endpoints --help', {}), gate('endpoints', {})]);
    expect([asked.code, bare.code]).toEqual([0, 2]);
    expect(asked.out).toContain('pause [options]');
  });

  it('prints JSON for every command that reads', async () => {
    const { out: id } = await gate('partners create --name Read');
    await gate(`keys issue --partner ${id} --mode test`);
    await gate(`endpoints set --partner ${id} --mode test --url https://shop.example/hooks`);
    const reads = ['partners list', `keys list --partner ${id}`, `pools list --partner ${id}`];
    const [partners, keys, pools] = await Promise.all(
      reads.map(async (read) => JSON.parse((await gate(`${read} --json`)).out)),
    );
    expect(partners).toContainEqual(expect.objectContaining({ id, name: 'Read' }));
    expect(keys).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f]{16}$/),
        prefix: expect.stringMatching(/^sk_test_/),
        type: 'secret',
        mode: 'test',
        state: 'active',
        created_at: expect.stringMatching(/^\d{4}-.*Z$/),
        last_used_at: null,
        expires_at: null,
        revoked_at: null,
        scopes: null,
        allowed_ips: null,
      },
    ]);
    expect(pools).toEqual([]);
    expect(JSON.parse((await gate(`endpoints show --partner ${id} --mode test --json`)).out)).toEqual({
      partner_id: id,
      mode: 'test',
      url: 'https://shop.example/hooks',
      paused_at: null,
      partner_paused_at: null,
      waiting_deliveries: 0,
      secrets: [{ created_at: expect.stringMatching(/Z$/), expires_at: null }],
    });
  });

  it("asks before it revokes a partner's last key of its kind, and takes --yes from a script", async () => {
    const { out: id } = await gate('partners create --name Locked');
    const [first, second] = [
      await gate(`keys issue --partner ${id} --mode test`),
      await gate(`keys issue --partner ${id} --mode test`),
    ];
    await gate(`keys issue --partner ${id} --mode live`);
    expect((await gate(`keys revoke ${keyIdOf(first)}`)).code).toBe(0);
    for (const command of [`keys revoke ${keyIdOf(second)}`, `keys expire ${keyIdOf(second)} --at now`])
      expect(await gate(command)).toMatchObject({
        code: 2,
        err: expect.stringMatching(
          /^This is the last working secret key of .* in test mode\..* Pass --yes to confirm\.$/,
        ),
      });
    const list = await gate(`keys list --partner ${id}`);
    expect(rowOf(list, keyIdOf(second))[4]).toBe('active');
    expect((await gate(`keys revoke ${keyIdOf(second)} --yes`)).code).toBe(0);
  });

  it('issues a key restricted to scopes and addresses, and does not count it as a replacement of a full one', async () => {
    const { out: id } = await gate('partners create --name Restricted');
    const full = await gate(`keys issue --partner ${id} --mode test`);
    const restricted = await gate(
      `keys issue --partner ${id} --mode test --scope sessions:write --scope events:read --allow-ip 203.0.113.0/24 2001:db8::1`,
    );
    const { out } = await gate(`keys list --partner ${id} --json`);
    expect(JSON.parse(out)).toMatchObject([
      { id: keyIdOf(full), scopes: null, allowed_ips: null },
      {
        id: keyIdOf(restricted),
        scopes: ['sessions:write', 'events:read'],
        allowed_ips: ['203.0.113.0/24', '2001:db8::1'],
      },
    ]);
    expect(await gate(`keys revoke ${keyIdOf(full)}`)).toMatchObject({
      code: 2,
      err: expect.stringMatching(/^This is the last working secret key/),
    });
    for (const [option, problem] of [
      ['--scope sessions', /Allowed choices are/],
      ['--allow-ip 203.0.113.7/24', /has bits set after its prefix/],
    ] as const)
      expect(await gate(`keys issue --partner ${id} --mode test ${option}`)).toMatchObject({
        out: '',
        err: expect.stringMatching(problem),
      });
  });

  it('pauses and resumes an endpoint, which a running server notices, and asks before its URL goes', async () => {
    const { out: id } = await gate('partners create --name Paused --origin https://shop.example --id paused');
    const { out: key } = await gate(`keys issue --partner ${id} --mode test`);
    const place = `--partner ${id} --mode test`;
    expect(await gate(`endpoints pause ${place}`)).toMatchObject({
      code: 1,
      err: expect.stringMatching(/no test endpoint/),
    });
    const worker = await readyServer({ ...environment, GATE_ALLOW_PRIVATE_WEBHOOKS: 'true' });
    const received: string[] = [];
    const receiver = createServer((request, response) => {
      received.push(String(request.headers['x-svc-event-type']));
      response.end();
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    const address = receiver.address();
    if (address === null || typeof address === 'string') throw new Error('The receiver has no port.');
    await gate(`endpoints set ${place} --url http://127.0.0.1:${address.port}/hooks`);
    try {
      expect((await gate(`endpoints pause ${place}`)).out).toMatch(
        /^The test endpoint of paused has been paused since \d{4}-/,
      );
      const headers = { authorization: `Bearer ${key}`, 'idempotency-key': 'one' };
      const test = await call(`${worker.origins.sandbox}/v1/webhooks/test`, headers, {});
      expect(test.status).toBe(202);
      const paused = `Without a URL, 1 waiting deliveries of paused (test) fail`;
      await expect
        .poll(async () => (await gate(`endpoints set ${place} --url none`)).err, { interval: 200 })
        .toContain(paused);
      const shown = await gate(`endpoints show ${place}`);
      expect(shown.out).toMatch(/\nPaused {3}since .*\nWaiting {2}1\n/);
      expect(received).toEqual([]);
      expect((await gate(`partners pause ${id}`)).out).toBe('Webhooks of paused are paused.');
      expect((await gate(`endpoints resume ${place}`)).out).toMatch(/^Its partner is still paused since/);
      await gate(`partners resume ${id}`);
      await expect.poll(() => received, { interval: 100 }).toEqual(['webhook.test']);
      expect((await gate(`endpoints set ${place} --url none --yes`)).code).toBe(0);
    } finally {
      worker.process.kill('SIGKILL');
      receiver.close();
    }
  });

  it('makes a pool, funds it once a reference, lists what is in it, and shuts a partner out', async () => {
    const { out: id } = await gate('partners create --name Trader --live on --entitlement pools', LIVE());
    const terms = '--asset USDC --network base --currency EUR --spread-bps 30 --fee-bps 20';
    expect((await gate(`pools save pool_a --partner ${id} ${terms}`)).out).toBe('pool_a is saved.');
    const fund = `pools fund pool_a --partner ${id} --currency EUR`;
    expect((await gate(`${fund} --amount 100.50 --reference first`)).out).toBe('Moved.');
    expect((await gate(`${fund} --amount 100.50 --reference first`)).out).toMatch(/^"first" was already recorded/);
    expect(await gate(`${fund} --amount 105.00 --reference first`)).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^"first" was already used for a different amount of EUR; nothing was moved\./),
    });
    expect(await gate(`${fund} --amount=-200 --reference second`)).toMatchObject({
      code: 1,
      err: 'pool_a has less than this amount available in EUR; nothing was moved.',
    });
    expect(await gate(`pools fund pool_b --partner ${id} --currency EUR --amount 1 --reference x`)).toMatchObject({
      code: 2,
      err: 'This partner has no pool with this poolId.',
    });
    const row = ['pool_a', 'USDC', 'base', 'EUR', '30 bps', '20 bps', '0 USDC, 100.5 EUR', '0 USDC, 0 EUR'];
    expect(rowOf(await gate(`pools list --partner ${id}`), 'pool_a')).toEqual(row);
    expect((await gate(`pools access --partner ${id} --status suspended`)).out).toBe(
      `${id} is suspended; its company verification is approved.`,
    );
  });

  it('sets an endpoint, shows its secret once, and seals it under a new master key', async () => {
    const { out: id } = await gate('partners create --name Hooked --id hooked');
    const set = await gate(`endpoints set --partner ${id} --mode test --url https://shop.example/hooks`);
    expect(set.out).toMatch(/^whsec_[0-9A-Za-z]{32}$/);
    const shown = await gate(`endpoints show --partner ${id} --mode test`);
    expect(shown.out).toMatch(/^URL {6}https:\/\/shop\.example\/hooks\nWaiting {2}0\nSecret {3}since \d{4}-/);
    expect(shown.out).not.toContain(set.out);
    expect(await gate(`endpoints set --partner ${id} --mode test --url ftp://x`)).toMatchObject({ code: 2, out: '' });

    const rotated = { DATABASE_URL: database.url, GATE_MASTER_KEY: OTHER_MASTER_KEY };
    expect((await gate('reseal', rotated)).err).toMatch(/^GATE_MASTER_KEY: .*Add it to the old master keys\.$/);
    // The others belong to the demo partner and an earlier test.
    expect((await gate('reseal', { ...rotated, GATE_MASTER_KEYS_OLD: MASTER_KEY })).out).toBe(
      '6 endpoints and 0 KYC packages are encrypted with the current master key.',
    );
    // The old key is gone, and every secret can still be opened.
    expect((await gate('reseal', rotated)).code).toBe(0);
  });
});
