import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Gate, webhooks, type GateSession } from '@gateramp/sdk-node';
import type { Command, Option } from 'commander';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startReferenceServer, TEST_PARTNER } from '../../../tests/services/reference-server.js';
import { program } from '../src/program.js';
import { terminal } from '../src/terminal.js';
import { deadLettered, receiverOf, type Receiver } from './receiver.js';
import { startCli, type Ran } from './run-cli.js';

/** The surroundings of one command. */
interface World {
  readonly gate: Gate;
  readonly baseUrl: string;
  readonly receiver: Receiver;
  readonly folder: string;
  /** Arguments of `trigger` for a page of the partner. */
  readonly page: readonly string[];
  session(): Promise<GateSession>;
  /** The session and the transaction of a purchase. */
  bought(): Promise<{ readonly sessionId: string; readonly refid: string }>;
  /** The id of a dead-lettered delivery. */
  dead(): Promise<string>;
}

/** How a command is run: its arguments, prepared for each run, and what differs from the values below. */
interface Case {
  readonly args?: (world: World, option: string | null) => readonly string[] | Promise<readonly string[]>;
  readonly values?: Readonly<Record<string, string>>;
  readonly input?: string;
  /** It runs until it is stopped; this is the output by which it is ready. */
  readonly ready?: RegExp;
}

const SECRET = TEST_PARTNER.webhookSecret;
const BODY = '{"id":"7c9e6679","type":"webhook.test"}';
const SIGNED_AT = 1_893_499_440;
const SIGNED = `Gate-Signature: ${webhooks.generateTestHeader({ payload: BODY, secret: SECRET, timestamp: SIGNED_AT })}\n\n${BODY}`;

const CASES: Readonly<Record<string, Case>> = {
  listen: { args: ({ receiver }) => ['--forward-to', receiver.url], ready: /^Forwarding events|"ready":true/m },
  trigger: {
    args: async ({ page, session, bought }, option) => {
      if (option === '--session') return ['succeed'];
      if (option === '--amount') return ['charged_back', '--session', (await bought()).sessionId];
      return option === '--advance' ? ['succeed', '--session', (await session()).id] : ['succeed', ...page];
    },
    values: { '--set': 'amount=250.00', '--amount': '20.00', '--advance': '60' },
  },
  send: { args: ({ folder }) => ['--file', join(folder, 'body.json')] },
  'deliveries list': { values: { '--status': 'dead_lettered' } },
  'deliveries show': { args: async ({ dead }) => [await dead()] },
  'deliveries replay': {
    args: async ({ dead }, option) => {
      const id = await dead();
      return option === '--all' ? [] : ['--session', '--type'].includes(option ?? '') ? ['--all'] : [id];
    },
  },
  'sessions list': { values: { '--status': 'open', '--reference': 'order-1' } },
  'sessions show': { args: async ({ session }) => [(await session()).id] },
  'sessions timeline': { args: async ({ session }) => [(await session()).id] },
  'sessions cancel': { args: async ({ session }) => [(await session()).id] },
  'transactions list': { values: { '--status': 'completed' } },
  'transactions show': { args: async ({ bought }) => [(await bought()).refid] },
  verify: {
    args: (_, option) => (option === '--at' ? [] : ['--at', String(SIGNED_AT)]),
    values: { '--at': String(SIGNED_AT), '--tolerance': '60' },
    input: SIGNED,
  },
  open: { values: { '--url': 'http://127.0.0.1:4240/' } },
};

/** The values of options that mean the same everywhere. */
const VALUES: Readonly<Record<string, (world: World) => string | Promise<string>>> = {
  '--base-url': ({ baseUrl }) => baseUrl,
  '--limit': () => '5',
  '--session': async ({ session }) => (await session()).id,
  '--event': () => '01890a5d-ac96-774b-bcce-b302099a8057',
  '--events': () => 'gate_session.completed',
  '--type': () => 'webhook.test',
  '--state': ({ folder }) => join(folder, 'position.json'),
  '--interval': () => '50',
  '--secret': () => SECRET,
  '--to': ({ receiver }) => receiver.url,
  '--timestamp': () => String(Math.floor(Date.now() / 1000)),
};

async function worldOf(): Promise<World> {
  const receiver = await receiverOf(SECRET);
  const keys = { secret_keys: [TEST_PARTNER.secretKey], publishable_keys: [] };
  const { origins, returnUrl } = await startReferenceServer({
    partner: { test: { ...keys, webhook_url: receiver.url, webhook_secret: SECRET } },
  });
  const gate = new Gate(TEST_PARTNER.secretKey, { baseUrl: origins.sandbox });
  const folder = mkdtempSync(join(tmpdir(), 'gateramp-every-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'body.json'), BODY);
  const session = () =>
    gate.gateSessions.create(
      { amount: '100.00', currency: 'EUR', return_url: returnUrl },
      { extraBody: { flow: 'on_ramp', target_token: 'USDC', target_network: 'base' } },
    );
  const bought = async () => {
    const { id } = await session();
    await gate.testHelpers.simulate(id, 'succeed');
    const { data } = await gate.transactions.list({ session_id: id });
    return { sessionId: id, refid: data[0]?.refid ?? '' };
  };
  const dead = () => deadLettered(gate, receiver);
  return {
    gate,
    baseUrl: origins.sandbox,
    receiver,
    folder,
    page: ['--set', `return_url=${returnUrl}`],
    session,
    bought,
    dead,
  };
}

async function run(line: readonly string[], { baseUrl, folder }: World, { input = '', ready }: Case): Promise<Ran> {
  const env = {
    GATERAMP_SECRET_KEY: TEST_PARTNER.secretKey,
    GATERAMP_WEBHOOK_SECRET: SECRET,
    GATERAMP_STATE_DIR: folder,
    // An option replaces it.
    GATERAMP_BASE_URL: line.includes('--base-url') ? 'http://127.0.0.1:9' : baseUrl,
  };
  const cli = startCli(line, { env, input });
  if (ready !== undefined) {
    await Promise.race([expect.poll(cli.out, { timeout: 30_000 }).toMatch(ready), cli.ended]);
    cli.process.kill('SIGTERM');
  }
  return cli.ended;
}

const leavesOf = (command: Command): readonly Command[] =>
  command.commands.length === 0 ? [command] : command.commands.flatMap(leavesOf);

const pathOf = (command: Command): string =>
  command.parent === null ? '' : `${pathOf(command.parent)} ${command.name()}`.trim();

async function valueOf(path: string, { long, required }: Option, world: World): Promise<readonly string[]> {
  if (!required) return [];
  const value = CASES[path]?.values?.[long ?? ''] ?? (await VALUES[long ?? '']?.(world));
  if (value === undefined) throw new Error(`Add a value of ${long} for "gateramp ${path}" to this test.`);
  return [value];
}

/** Every command is run with each of its options, which are read from the command itself, so none can be forgotten. */
describe('every command of gateramp', () => {
  const commands = leavesOf(program(terminal()));

  it('is known to this test', () => {
    expect(commands.map(pathOf).toSorted()).toEqual(Object.keys(CASES).toSorted());
  });

  it.each(commands.map((command) => [pathOf(command), command] as const))(
    'takes each of its options: %s',
    async (path, command) => {
      const world = await worldOf();
      const given = CASES[path] ?? {};
      for (const option of [null, ...command.options.filter(({ long }) => long !== '--help')]) {
        const name = option?.long ?? null;
        const args = (await given.args?.(world, name)) ?? [];
        if (name !== null && option?.mandatory && args.includes(name)) continue;
        const line = [
          ...path.split(' '),
          ...args,
          ...(option === null ? [] : [name ?? '', ...(await valueOf(path, option, world))]),
        ];
        const { code, out, err } = await run(line, world, given);
        const shown = `gateramp ${line.join(' ')}\n${err}`;
        expect(code, shown).toBe(0);
        if (name !== '--json') continue;
        const lines = out.split('\n').filter((text) => text !== '');
        if (!path.endsWith(' list')) expect(lines, shown).not.toEqual([]);
        for (const text of lines) expect(JSON.parse(text), shown).toBeTypeOf('object');
      }
    },
  );
});
