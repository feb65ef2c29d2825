import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GateArgumentError } from '@gateramp/core';
import { CommanderError, type Command, type Option } from 'commander';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { CommandError } from '../src/cli/command-error.js';
import { leavesOf } from '../src/cli/common-options.js';
import { program } from '../src/cli/program.js';
import { StartError } from '../src/start-error.js';
import { commandWorld, type CommandWorld } from './command-world.js';

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** How a command is run: its arguments, prepared for each run, and what differs from the values below. */
interface Case {
  readonly args?: (option: string | null) => readonly string[] | Promise<readonly string[]>;
  readonly values?: Readonly<Record<string, string>>;
  readonly place?: 'folder' | 'database';
  /** A refusal that this installation cannot avoid. */
  readonly refusal?: RegExp;
  /** With these arguments it changes nothing, so that the audit trail records nothing. */
  readonly isUnrecorded?: boolean;
}

let nth = 0;
const unique = (): string => `n${(nth += 1)}`;

/** Every command is run with each of its options, which are read from the command itself, so none can be forgotten. */
describe('every command of gate', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gate-every-'));
  let world: CommandWorld;
  beforeAll(async () => {
    world = await commandWorld(folder);
  });
  afterAll(async () => {
    await world?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const partner = ['--partner', 'acme'];
  const endpoint = [...partner, '--mode', 'test'];
  const idOf = async (...args: readonly string[]): Promise<string> =>
    (JSON.parse((await gate([...args, '--json'])).out) as { readonly id: string }).id;
  /** The arguments, in the state after another command. */
  const after = async (other: readonly string[], args: readonly string[]): Promise<readonly string[]> => {
    await gate(other);
    return args;
  };
  const headOfTrail = async () => {
    const { head } = JSON.parse((await gate(['audit', 'verify', '--json'])).out) as {
      readonly head: { readonly sequence: number; readonly digest: string };
    };
    return `${head.sequence}.${head.digest}`;
  };
  const key = async () => [await idOf('keys', 'issue', ...endpoint)];

  const CASES: Readonly<Record<string, Case>> = {
    'partners list': {},
    'partners create': { args: () => ['--name', 'New'], values: { '--id': '' } },
    'partners update': { args: () => ['acme', '--quota', String((nth += 1))] },
    'partners pause': { args: () => after(['partners', 'resume', 'acme'], ['acme']) },
    'partners resume': { args: () => after(['partners', 'pause', 'acme'], ['acme']) },
    'partners suspend': { args: async () => [await idOf('partners', 'create', '--name', 'Bad'), '--yes', ...because] },
    'partners reinstate': {
      args: async () => {
        const id = await idOf('partners', 'create', '--name', 'Good');
        await gate(['partners', 'suspend', id, '--yes', ...because]);
        return [id, '--yes', ...because];
      },
    },
    'keys issue': { args: () => endpoint, values: { '--scope': 'sessions:read', '--allow-ip': '203.0.113.0/24' } },
    'keys list': { args: () => partner },
    'keys revoke': { args: key },
    'keys expire': { args: async () => [...(await key()), '--at', '24h'] },
    'endpoints show': { args: () => endpoint },
    'endpoints set': {
      args: (option) =>
        isOneOf(option, ['--url', '--secret', '--new-secret']) ? endpoint : [...endpoint, '--new-secret'],
      values: { '--url': 'https://shop.example/hooks', '--secret': 'whsec_9fQ2bTzW1kLmX7cVn2Rs4yUe6iOp8aSd' },
    },
    'endpoints pause': { args: () => after(['endpoints', 'resume', ...endpoint], endpoint) },
    'endpoints resume': { args: () => after(['endpoints', 'pause', ...endpoint], endpoint) },
    reseal: {},
    'console invite': { args: () => endpoint, values: { '--role': 'support', '--url': 'https://console.example' } },
    'console enroll': {
      args: () => ['--user', unique(), '--role', 'viewer'],
      values: { '--url': 'https://console.example' },
    },
    'console passkeys list': {},
    'console passkeys remove': {
      args: async () => [await idOf('console', 'enroll', '--user', unique(), '--role', 'viewer')],
    },
    'console sessions list': {},
    'console sessions end': { args: async () => [await idOf('console', 'invite', ...endpoint), ...partner] },
    'pools list': { args: () => partner },
    'pools save': {
      args: () => [
        'pool_a',
        ...partner,
        ...'--asset USDC --network base --currency EUR --fee-bps 20 --spread-bps'.split(' '),
        String((nth += 1)),
      ],
    },
    'pools fund': { args: () => ['pool_a', ...partner, '--currency', 'eur', '--amount', '5', '--reference', unique()] },
    'pools access': {
      args: () => after(['pools', 'access', ...partner, '--status', 'suspended'], partner),
      values: { '--status': 'suspended', '--kyc': 'pending' },
    },
    'operations list': {},
    'operations show': { args: async () => [await world.stuckOperation()] },
    'operations resolve': { args: async () => [await world.stuckOperation(), '--as', 'refunded', '--yes', ...because] },
    'deposits list': {},
    'deposits credit': {
      args: async () => [await world.heldDeposit(), '--yes', ...because],
      values: { '--asset': 'eth' },
    },
    'deposits return': {
      args: async () => [await world.heldDeposit(), '--yes', ...because],
      values: { '--asset': 'eth', '--amount': '1', '--to': '0x52908400098527886E0F7030069857D2E4169EE7' },
    },
    'wallets list': {},
    'wallets history': { args: () => ['base'] },
    'wallets pause': { args: () => ['base', ...because] },
    'wallets resume': { args: () => ['base', ...because], refusal: /^base does not answer/ },
    'ledger trial-balance': {},
    'ledger export': { values: { '--format': 'ndjson' } },
    'ledger reconcile': { refusal: /^The ledger differs by / },
    'prices list': {},
    'prices confirm': { args: async () => [await world.refusedPrice(), '--yes', ...because] },
    replay: { args: () => [...partner, '--yes'], values: { '--type': 'gate_session.completed' }, isUnrecorded: true },
    drain: { args: () => ['--ops', world.server.origins.ops, '--yes'], values: { '--wait': '60s' } },
    'transactions refund': {
      args: async () => [await world.paidTransaction(), ...because],
      values: { '--amount': '1.00', '--key': '' },
    },
    show: { args: async () => [await world.paidTransaction()] },
    'sessions stuck': {},
    'deliveries list': { values: { '--state': 'dead' } },
    'work oldest': {},
    'work processes': {},
    migrate: { values: { '--grant-to': 'pg_monitor' }, place: 'database', isUnrecorded: true },
    'partition plan': { place: 'database' },
    'partition on': { args: () => ['--yes'], place: 'database' },
    'partition off': { args: () => ['--yes'], place: 'database' },
    'partition drop': {
      args: (option) => ['--before', '2020-01', '--yes', ...(option === '--archive' ? [] : ['--without-archive'])],
      values: { '--archive': join(folder, 'archives'), '--only': 'events' },
      place: 'database',
    },
    'partition verify': { args: async () => [await world.archive()] },
    backup: { args: () => [join(folder, `${unique()}.db`)] },
    'recover status': {},
    'recover accept': { args: async () => [...(await world.hold()), '--yes'] },
    move: { args: (option) => world.movable({ isMoved: isOneOf(option, ['--back', '--lose-what-came-since']) }) },
    'audit list': { values: { '--before': '5', '--request': 'req_1', '--action': 'key.issue' } },
    'audit verify': { args: async () => ['--at-least', await headOfTrail()] },
    'audit accept': {},
  };

  const because = ['--reason', 'ticket-1'];

  /** The values of options that mean the same everywhere. */
  const VALUES: Readonly<Record<string, string>> = {
    '--reason': 'ticket-2',
    '--partner': 'acme',
    '--mode': 'test',
    '--limit': '5',
    '--from': '24h',
    '--to': 'now',
    '--at': '2030-01-01',
    '--expires': '30d',
    '--ttl': '5m',
    '--user': 'ada@example.com',
    '--name': 'Acme',
    '--origin': 'https://shop.example',
    '--live': 'on',
    '--kyc-trusted': 'on',
    '--saved-payment-methods': 'on',
    '--entitlement': 'swap',
    '--quota': '5',
    '--rate-limit-factor': '2',
    '--restrict-flows': 'on_ramp',
    '--restrict-payment-methods': 'card',
    '--restrict-assets': 'USDC@base',
    '--restrict-countries': 'DE',
    '--restrict-limits': 'EUR:10-500',
    '--type': 'publishable',
    '--older-than': '90s',
    '--dead-before': 'now',
    '--per-second': '10',
  };

  async function gate(
    args: readonly string[],
    place: Case['place'] = 'folder',
    settings: Readonly<Record<string, string>> = {},
  ): Promise<Ran> {
    const environment: Readonly<Record<string, string>> = {
      ...(place === 'folder' ? world.inFolder : world.inDatabase),
      ...settings,
    };
    for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
    const text = { out: '', err: '' };
    const streams = [
      vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => ((text.out += String(chunk)), true)),
      vi.spyOn(process.stderr, 'write').mockImplementation((chunk) => ((text.err += String(chunk)), true)),
    ];
    try {
      await program().parseAsync([...args], { from: 'user' });
      return { code: 0, ...text };
    } catch (error) {
      const said = error instanceof CommandError || error instanceof StartError || error instanceof GateArgumentError;
      // Anything else is a crash.
      if (!said && !(error instanceof CommanderError)) throw error;
      return { ...text, code: 1, err: `${text.err}${error instanceof CommanderError ? '' : error.message}` };
    } finally {
      for (const stream of streams) stream.mockRestore();
      vi.unstubAllEnvs();
    }
  }

  const pathOf = (command: Command): string =>
    command.parent === null ? '' : `${pathOf(command.parent)} ${command.name()}`.trim();

  function valueOf(path: string, option: Option, values: Case['values'] = {}): readonly string[] {
    const name = option.long ?? '';
    if (name === '--actor') return [`ada-${path}`];
    if (!option.required) return [];
    const value = values[name] ?? VALUES[name];
    if (value === undefined) throw new Error(`Add a value of ${name} for "gate ${path}" to this test.`);
    return [value === '' ? unique() : value];
  }

  const commands = leavesOf(program());

  it('is known to this test', () => {
    expect(commands.map(pathOf).toSorted()).toEqual(Object.keys(CASES).toSorted());
  });

  it.each(
    commands.filter((command) => codesOf(command).length > 0).map((command) => [pathOf(command), command] as const),
  )('takes currencies, assets, networks and countries in any letter case: %s', async (path, command) => {
    const { args = () => [], values, refusal } = CASES[path] ?? {};
    const codes = codesOf(command);
    for (const changed of [(text: string) => text.toLowerCase(), (text: string) => text.toUpperCase()]) {
      const given = await args(null);
      const optional = command.options.filter(({ long }) => codes.includes(long ?? '') && !given.includes(long ?? ''));
      const all = [
        ...given.map((text, index) =>
          codes.includes(command.registeredArguments[index]?.name() ?? '') ? changed(text) : text,
        ),
        ...optional.flatMap((option) => [option.long ?? '', ...valueOf(path, option, values)]),
      ].map((text, index, texts) => (codes.includes(texts[index - 1] ?? '') ? changed(text) : text));
      const ran = await gate([...path.split(' '), ...all]);
      const shown = `gate ${path} ${all.join(' ')}\n${ran.err}`;
      if (refusal === undefined || ran.code === 0) expect(ran.code, shown).toBe(0);
      else expect(ran.err.split('\n').at(-1), shown).toMatch(refusal);
    }
  });

  it.each(commands.map((command) => [pathOf(command), command] as const))(
    'takes each of its options: %s',
    async (path, command) => {
      const { args = () => [], values, place = 'folder', refusal, isUnrecorded = false } = CASES[path] ?? {};
      const options = command.options.filter(({ long }) => long !== '--help');
      // Of a list it is a filter.
      const isChanging = path !== 'audit list' && options.some(({ long }) => long === '--actor');
      const trail = async () =>
        JSON.parse((await gate(['audit', 'list', '--limit', '500', '--json'], place)).out) as readonly {
          readonly actor: { readonly id: string };
        }[];
      const runs = [
        null,
        ...options,
        ...(options.some(({ long }) => long === '--dry-run') ? (['dry run as JSON'] as const) : []),
      ];
      for (const option of runs) {
        const given = await args(option === null || typeof option === 'string' ? null : (option.long ?? null));
        if (typeof option === 'object' && given.includes(option?.long ?? '')) continue;
        const settings = path === 'move' ? world.moving : {};
        const more =
          option === null
            ? []
            : typeof option === 'string'
              ? ['--dry-run', '--json']
              : [option.long ?? '', ...valueOf(path, option, values)];
        // A repeated option replaces the value given before.
        const line = [...path.split(' '), ...given, ...more];
        const before = isChanging ? [] : await trail();
        const ran = await gate(line, place, settings);
        const shown = `gate ${line.join(' ')}\n${ran.err}`;
        if (refusal === undefined || ran.code === 0) expect(ran.code, shown).toBe(0);
        else expect(ran.err.split('\n').at(-1), shown).toMatch(refusal);
        if (more.includes('--json') && ran.out !== '') expectWireJson(ran.out, shown);
        if (more.includes('--json') && refusal === undefined) expect(ran.out, shown).not.toBe('');
        if (!isChanging) expect(await trail(), shown).toHaveLength(before.length);
      }
      if (isChanging && !isUnrecorded && refusal === undefined && path !== 'move')
        expect((await trail()).map(({ actor }) => actor.id)).toContain(`ada-${path}`);
    },
  );
});

/** The options and arguments whose values contain codes of currencies, assets, networks or countries. */
function codesOf(command: Command): readonly string[] {
  return [
    ...command.options.map(({ long }) => long ?? ''),
    ...command.registeredArguments.map((argument) => argument.name()),
  ].filter((name) => /^(--(restrict-)?(asset|currenc|network|countr|limits)|network$|pair$)/.test(name));
}

function isOneOf(option: string | null, names: readonly string[]): boolean {
  return option !== null && names.includes(option);
}

/** Maps whose members are codes. */
const MAPS: readonly string[] = ['balances', 'sent_today', 'by_type', 'metadata'];

/** One document whose members have the names of the wire. */
function expectWireJson(text: string, command: string): void {
  const look = (value: unknown): void => {
    if (Array.isArray(value)) return value.forEach(look);
    if (typeof value !== 'object' || value === null) return;
    for (const [name, member] of Object.entries(value)) {
      expect(name, command).toMatch(/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/);
      if (!MAPS.includes(name) || Array.isArray(member)) look(member);
    }
  };
  look(JSON.parse(text));
}
