import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Gate, webhooks } from '@gateramp/sdk-node';
import { describe, expect, it, onTestFinished } from 'vitest';
import { freePort } from '../../../tests/services/ports.js';
import { startReferenceServer, TEST_PARTNER } from '../../../tests/services/reference-server.js';
import { deadLettered, receiverOf } from './receiver.js';
import { linesOf, runCli, startCli, type Ran } from './run-cli.js';

const SECRET = 'whsec_9fQ2bTzW1kLmX7cVn2Rs4yUe6iOp8aSd';
const BODY = '{ "id": "7c9e6679", "type": "webhook.test", "data": {"name":"Žofie"} }';

interface Shop {
  readonly gate: Gate;
  readonly returnUrl: string;
  run(...args: string[]): Promise<Ran>;
}

async function shop(partner: Parameters<typeof startReferenceServer>[0] = {}): Promise<Shop> {
  const { origins, returnUrl } = await startReferenceServer(partner);
  const env = { GATERAMP_SECRET_KEY: TEST_PARTNER.secretKey, GATERAMP_BASE_URL: origins.sandbox };
  return {
    gate: new Gate(TEST_PARTNER.secretKey, { baseUrl: origins.sandbox }),
    returnUrl,
    run: (...args) => runCli(args, { env }),
  };
}

function file(text: string): string {
  const dir = mkdtempSync(join(tmpdir(), 'gateramp-cli-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  writeFileSync(join(dir, 'body.json'), text);
  return join(dir, 'body.json');
}

describe('gateramp', () => {
  it('ends without a complaint when the reader closes its output', async () => {
    const cli = startCli(['send', '--file', file(BODY)], { env: { GATERAMP_WEBHOOK_SECRET: SECRET } });
    cli.process.stdout?.destroy();
    expect(await cli.ended).toMatchObject({ code: 0, err: '' });
  });

  it.each([
    [],
    ['listen'],
    ['trigger'],
    ['send'],
    ['deliveries'],
    ['sessions'],
    ['transactions'],
    ['verify'],
    ['open'],
  ])('helps with examples: %s', async (...command) => {
    const { code, out } = await runCli([...command, '--help']);
    expect(code).toBe(0);
    expect(out).toContain('Examples:\n  $ gateramp');
  });

  it.each([
    [['nonsense'], /unknown command/],
    [['listen'], /--forward-to/],
    [['listen', '--forward-to', 'ftp://x'], /is not a URL/],
    [['send', '--file', '/nowhere.json', '--secret', SECRET], /could not be read/],
    [['send', '--file', '-', '--secret', 'sk_test_secret'], /malformed signing secret/],
    [['sessions', 'list', '--limit', 'many'], /whole number/],
    [['sessions', 'list', '--base-url', 'api.example.com'], /must be an address such as/],
    [['deliveries', 'replay'], /Pass a delivery id or --all/],
    [['deliveries', 'replay', '7c9e6679', '--type', 'webhook.test'], /--type cannot be used with a delivery id/],
    [['trigger', 'succeed', '--set', 'amount'], /field=value/],
    [['trigger', 'nope'], /^Unknown scenario "nope"\. Use one of: succeed, decline, /],
    [['trigger', 'succeed', '--advance', 'soon'], /^--advance must be a whole number/],
  ])('ends with 2 when it is not understood: %j', async (args, message) => {
    const { code, err, out } = await runCli(args);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(message);
    expect(err).not.toContain('sk_test_secret');
  });

  it('ends with 2 for an invalid key, with 1 when the service refuses, with 3 when it is not there', async () => {
    const { run } = await shop();
    expect((await runCli(['sessions', 'list'], { env: { GATERAMP_SECRET_KEY: 'pk_test_a' } })).code).toBe(2);
    const refused = await run('sessions', 'show', '68a1f0c2b7e94d1f3a5c7e90');
    expect([refused.code, refused.err]).toEqual([1, expect.stringMatching(/\(404, session_not_found, /)]);
    const env = { GATERAMP_SECRET_KEY: 'sk_test_a', GATERAMP_BASE_URL: `http://127.0.0.1:${await freePort()}` };
    const away = await runCli(['sessions', 'list'], { env });
    expect([away.code, away.err]).toEqual([3, expect.stringMatching(/ECONNREFUSED.*\n.*GATERAMP_BASE_URL/)]);
  });

  it('says to set the address when only a key is set, since the default hosts are placeholders', async () => {
    const { code, err } = await runCli(['sessions', 'list'], { env: { GATERAMP_SECRET_KEY: 'sk_test_a' } });
    expect(code).toBe(3);
    expect(err).toMatch(/^sandbox\.gateramp\.example is a placeholder.* Set GATERAMP_BASE_URL/m);
  });
});

describe('gateramp trigger', () => {
  it('says what to set where the page of the demo shop does not belong to the partner', async () => {
    const { run } = await shop();
    const { code, err } = await run('trigger', 'succeed');
    expect(code).toBe(1);
    expect(err).toMatch(/^http:\/\/localhost:4240\/done is the page of the demo shop\. .* --set return_url=/);
  });

  it('plays a buyer in a new session with what is set, or in one that is there', async () => {
    const { gate, run, returnUrl } = await shop();
    const set = ['--set', `return_url=${returnUrl}`, '--set', 'amount=250.00', '--set', 'metadata={"order":7}'];
    const bought = await run('trigger', 'succeed', ...set, '--advance', '120', '--json');
    expect([bought.code, bought.err]).toEqual([0, expect.stringMatching(/^Created session [0-9a-f]{24}\.\n$/)]);
    const [intent] = linesOf(bought.out);
    expect(await gate.gateSessions.retrieve(String(intent?.['session_id']))).toMatchObject({
      status: 'completed',
      amount: '250.00',
      metadata: { order: 7 },
    });

    const { id } = await gate.gateSessions.create(
      { amount: '10.00', currency: 'EUR', return_url: returnUrl },
      { extraBody: { flow: 'on_ramp', target_token: 'USDC', target_network: 'base' } },
    );
    const declined = await run('trigger', 'decline', '--session', id);
    expect(JSON.parse(declined.out)).toMatchObject({ session_id: id, status: 'failed' });
    expect((await run('trigger', 'dance', '--session', id)).code).toBe(1);

    const before = linesOf((await run('sessions', 'list', '--json')).out).length;
    expect((await run('trigger', 'dance', '--set', `return_url=${returnUrl}`)).code).toBe(2);
    expect(linesOf((await run('sessions', 'list', '--json')).out)).toHaveLength(before);
  });
});

describe('gateramp sessions', () => {
  it('lists, shows, reports on and cancels', async () => {
    const { gate, run, returnUrl } = await shop();
    const ids: string[] = [];
    for (const user_reference of ['a', 'b', 'c'])
      ids.push(
        (await gate.gateSessions.create({ amount: '1.00', currency: 'EUR', return_url: returnUrl, user_reference })).id,
      );
    expect(linesOf((await run('sessions', 'list', '--limit', '2', '--json')).out).map(({ id }) => id)).toEqual([
      ids[2],
      ids[1],
    ]);
    const table = await run('sessions', 'list', '--reference', 'a');
    expect(table.out).toMatch(/^id +status +flow +amount/);
    expect(table.out).toContain(`${ids[0]}  open`);
    expect(table.out).not.toContain('\u001b');
    expect(JSON.parse((await run('sessions', 'cancel', ids[0] ?? '')).out)).toMatchObject({ status: 'cancelled' });
    expect(JSON.parse((await run('sessions', 'show', ids[0] ?? '')).out)).toMatchObject({ status: 'cancelled' });
    expect((await run('sessions', 'timeline', ids[0] ?? '')).out).toMatch(/transition/);
  });
});

describe('gateramp transactions', () => {
  it('lists and shows', async () => {
    const { gate, run, returnUrl } = await shop();
    const { id } = await gate.gateSessions.create({ amount: '50.00', currency: 'EUR', return_url: returnUrl });
    await run('trigger', 'succeed', '--session', id);
    const [paid] = linesOf((await run('transactions', 'list', '--session', id, '--json')).out);
    const refid = String(paid?.['refid']);
    expect(JSON.parse((await run('transactions', 'show', refid)).out)).toMatchObject({ status: 'completed' });
  });
});

describe('gateramp prints text of others', () => {
  const HOSTILE = 'a\u001b[2J\rb\u001b]52;c;cHduZWQ=\u0007\u009b31m\u202egnp.exe\u200b';
  const UNPRINTABLE = /[^\P{C}\n]/u;

  it('with control and format characters escaped, in tables, objects and JSON that reads back the same', async () => {
    const { gate, run, returnUrl } = await shop();
    const { id } = await gate.gateSessions.create({
      ...{ amount: '1.00', currency: 'EUR', return_url: returnUrl, user_reference: HOSTILE },
      metadata: { [HOSTILE]: HOSTILE },
    });
    const ran = await Promise.all(
      [
        ['sessions', 'list'],
        ['sessions', 'show', id],
        ['sessions', 'list', '--json'],
        ['sessions', 'show', id, '--json'],
        ['sessions', 'timeline', id],
      ].map((args) => run(...args)),
    );
    for (const { code, out, err } of ran) {
      expect([code, err]).toEqual([0, '']);
      expect(out).not.toMatch(UNPRINTABLE);
    }
    expect(ran[0]?.out).toContain(String.raw`a\u001b[2J\u000db`);
    for (const { out } of ran.slice(2, 4)) expect(linesOf(out)).toMatchObject([{ user_reference: HOSTILE }]);
  });

  it('in errors too', async () => {
    const { run } = await shop();
    const { err } = await run('sessions', 'show', HOSTILE);
    expect(err).not.toMatch(UNPRINTABLE);
  });
});

describe('gateramp deliveries', () => {
  it('lists, shows and replays', async () => {
    const receiver = await receiverOf(TEST_PARTNER.webhookSecret);
    const { gate, run } = await shop({
      partner: {
        test: {
          secret_keys: [TEST_PARTNER.secretKey],
          publishable_keys: [],
          webhook_url: receiver.url,
          webhook_secret: TEST_PARTNER.webhookSecret,
        },
      },
    });
    const id = await deadLettered(gate, receiver);
    const listed = await run('deliveries', 'list', '--status', 'dead_lettered', '--json');
    expect(linesOf(listed.out)).toMatchObject([{ id, event_type: 'webhook.test', attempt_count: 5 }]);
    expect((await run('deliveries', 'list')).out).toContain(`${id}  webhook.test  dead_lettered`);
    expect(JSON.parse((await run('deliveries', 'show', id)).out)).toMatchObject({ attempts: { length: 5 } });
    expect(JSON.parse((await run('deliveries', 'replay', '--all', '--type', 'webhook.test')).out)).toMatchObject({
      replayed: 1,
    });
    await expect.poll(() => receiver.events.length).toBe(1);
    const again = await run('deliveries', 'replay', id);
    expect([again.code, again.err]).toEqual([1, expect.stringContaining('delivery_not_dead_lettered')]);
  });
});

describe('gateramp send', () => {
  it('signs the bytes of a file or of its input, and posts them', async () => {
    const receiver = await receiverOf(SECRET);
    const sent = await runCli(['send', '--file', file(BODY), '--secret', SECRET, '--to', receiver.url, '--json']);
    expect([sent.code, linesOf(sent.out)]).toMatchObject([0, [{ status: 200, error: null }]]);
    const input = BODY.replace('7c9e6679', 'second');
    const env = { GATERAMP_WEBHOOK_SECRET: SECRET };
    expect((await runCli(['send', '--file', '-', '--to', receiver.url], { input, env })).code).toBe(0);
    expect(receiver.events.map(({ id }) => id)).toEqual(['7c9e6679', 'second']);
  });

  it('takes a secret from an argument with a warning that names the alternative', async () => {
    const { code, err } = await runCli(['send', '--file', file(BODY), '--secret', SECRET]);
    expect([code, err]).toEqual([0, expect.stringMatching(/^Warning: .* Set GATERAMP_WEBHOOK_SECRET/)]);
    expect(err).not.toContain(SECRET);
  });

  it('ends with 1 when the receiver does not acknowledge', async () => {
    const receiver = await receiverOf(SECRET);
    const stale = ['send', '--file', file(BODY), '--secret', SECRET, '--to', receiver.url, '--timestamp', '1700000000'];
    const refused = await runCli(stale);
    expect([refused.code, refused.out]).toEqual([
      1,
      expect.stringMatching(/^400 {2}\d+ ms {2}\{"error":\{"reason":"timestamp_too_old"/),
    ]);
    await receiver.stop();
    expect(await runCli(stale)).toMatchObject({ code: 1, out: expect.stringContaining('ECONNREFUSED') });
  });
});

describe('gateramp verify', () => {
  const t = 1_893_499_440;
  const at = ['--secret', SECRET, '--at', String(t)];
  const requestOf = (
    body: string,
    header = webhooks.generateTestHeader({ payload: body, secret: SECRET, timestamp: t }),
  ): string =>
    `POST /hooks HTTP/1.1\r\nHost: shop.example\r\nGATE-SIGNATURE: ${header}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

  it('says that a signature holds, also with a line break behind the request', async () => {
    for (const input of [requestOf(BODY), `${requestOf(BODY)}\n`, requestOf(BODY).replaceAll('\r', '')]) {
      const { code, out } = await runCli(['verify', ...at], { input });
      expect([code, out]).toEqual([0, 'valid  webhook.test  7c9e6679\n']);
    }
  });

  it.each([
    ['no_matching_signature', requestOf(BODY).replace('Žofie', 'Zofie'), at],
    ['timestamp_too_old', requestOf(BODY), ['--secret', SECRET, '--at', String(t + 301)]],
    ['malformed_header', requestOf(BODY, 'v1=abc'), at],
    ['no_header', `Host: shop.example\n\n${BODY}`, at],
  ])('says why it does not: %s', async (reason, input, options) => {
    const { code, out } = await runCli(['verify', ...options, '--json'], { input });
    expect([code, JSON.parse(out)]).toMatchObject([1, { valid: false, reason }]);
  });

  it('ends with 2 for what is no request', async () => {
    expect((await runCli(['verify', ...at], { input: 'hello' })).code).toBe(2);
  });
});

it('gateramp open says where the demo shop is', async () => {
  expect(await runCli(['open'])).toMatchObject({ code: 0, out: 'http://127.0.0.1:4240/\n' });
  expect(await runCli(['open', '--url', '4999', '--json'])).toMatchObject({
    out: '{"url":"http://localhost:4999/"}\n',
  });
});
