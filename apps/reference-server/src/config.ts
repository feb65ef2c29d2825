import { readFileSync } from 'node:fs';
import { LISTENERS, VARIABLES, type ListenerName } from './config-variables.js';
import { readSeed, type Seed } from './config-seed-file.js';
import { StartFault } from './start-fault.js';

/** Everything the operator may decide, checked. */
export interface Config {
  readonly host: string;
  readonly ports: Readonly<Record<ListenerName, number>>;
  readonly http: 'fastify' | 'express';
  readonly role: 'all' | 'api';
  readonly masterKey: Uint8Array | null;
  readonly oldMasterKeys: readonly Uint8Array[];
  /** Partners to create or update at start; null for the demo partner. */
  readonly seed: Seed | null;
  readonly rateLimits: boolean;
  readonly testClock: boolean;
  readonly allowPrivateWebhooks: boolean;
  readonly log: 'pretty' | 'json' | 'silent';
  /** What is legal and probably not meant. */
  readonly warnings: readonly string[];
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** The configuration of this process. Throws a `StartFault` that lists every problem there is. */
export function configOfProcess(): Config {
  return readConfig(process.env, { isTerminal: process.stdout.isTTY });
}

/** An empty variable counts as one that is not set: that is how compose files and shells leave one out. */
export function readConfig(environment: Environment, { isTerminal }: { readonly isTerminal: boolean }): Config {
  const set = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''));
  const read = VARIABLES.safeParse(set);
  const seedFile = set['GATE_SEED_FILE'] === undefined ? null : readSeedFile(set['GATE_SEED_FILE']);
  const problems = [
    ...(read.success ? [] : read.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`)),
    ...sharedPorts(set),
    ...keysWithoutSuccessor(set),
    ...(seedFile?.problems ?? []),
  ];
  if (!read.success || problems.length > 0) throw new StartFault(problems);
  const variables = read.data;
  return {
    host: variables.GATE_HOST,
    ports: portsOf(variables),
    http: variables.GATE_HTTP,
    role: variables.GATE_ROLE,
    masterKey: variables.GATE_MASTER_KEY,
    oldMasterKeys: variables.GATE_MASTER_KEYS_OLD,
    seed: seedFile?.seed ?? null,
    rateLimits: variables.GATE_RATE_LIMITS,
    testClock: variables.GATE_TEST_CLOCK,
    allowPrivateWebhooks: variables.GATE_ALLOW_PRIVATE_WEBHOOKS,
    log: variables.GATE_LOG ?? (isTerminal ? 'pretty' : 'json'),
    warnings: [...unknownVariables(set), ...roleWarnings(variables.GATE_ROLE)],
  };
}

type SetVariables = Readonly<Record<string, string | undefined>>;

function portsOf(variables: Readonly<Record<(typeof LISTENERS)[ListenerName]['variable'], number>>): Config['ports'] {
  const { sandbox, live, sandboxWidget, widget, pools, demo, ops } = LISTENERS;
  return {
    sandbox: variables[sandbox.variable],
    live: variables[live.variable],
    sandboxWidget: variables[sandboxWidget.variable],
    widget: variables[widget.variable],
    pools: variables[pools.variable],
    demo: variables[demo.variable],
    ops: variables[ops.variable],
  };
}

/** Two listeners on one port: found before either is opened, and told with both names. */
function sharedPorts(set: SetVariables): readonly string[] {
  const taken = new Map<string, string>();
  return Object.values(LISTENERS).flatMap(({ variable, port }) => {
    const text = set[variable] ?? String(port);
    const other = taken.get(text);
    taken.set(text, variable);
    return other === undefined || text === '0' ? [] : [`${variable}: port ${text} is the port of ${other} already.`];
  });
}

function keysWithoutSuccessor(set: SetVariables): readonly string[] {
  if (set['GATE_MASTER_KEYS_OLD'] === undefined || set['GATE_MASTER_KEY'] !== undefined) return [];
  return ['GATE_MASTER_KEYS_OLD: is set without GATE_MASTER_KEY; old keys only open what the present one replaces.'];
}

function readSeedFile(path: string): { readonly seed: Seed | null; readonly problems: readonly string[] } {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    return { seed: null, problems: [`GATE_SEED_FILE: cannot read "${path}" (${codeOf(error)}).`] };
  }
  const read = readSeed(text);
  return { ...read, problems: read.problems.map((problem) => `GATE_SEED_FILE: ${problem}`) };
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
}

/** A misspelt name would otherwise be a setting that silently does nothing. */
function unknownVariables(set: SetVariables): readonly string[] {
  return Object.keys(set)
    .filter((name) => name.startsWith('GATE_') && !(name in VARIABLES.shape))
    .map((name) => `${name} is no setting of this server and has no effect; is it misspelt?`);
}

function roleWarnings(role: Config['role']): readonly string[] {
  if (role === 'all') return [];
  return ['GATE_ROLE=api with embedded adapters: no other process can see this store, so no webhook is delivered and nothing settles by itself.'];
}
