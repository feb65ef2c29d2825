import { readFileSync } from 'node:fs';
import type * as z from 'zod';
import { LISTENERS, VARIABLES, type ListenerName } from './config-variables.js';
import { readSeed, type Seed } from './config-seed-file.js';
import { readLegs, type LegsConfig } from './legs/legs-file.js';
import { withSecretFiles } from './config-secret-files.js';
import { hasDemoPartner } from './demo/has-demo-partner.js';
import { StartError } from './start-error.js';

/** Everything the operator may decide, checked. */
export interface Config {
  readonly host: string;
  /** Further names under which the demo and the operators' port are called. */
  readonly hostNames: readonly string[];
  readonly ports: Readonly<Record<ListenerName, number>>;
  readonly http: 'fastify' | 'express';
  readonly role: 'all' | 'api' | 'worker';
  /** Everything in Postgres; null with `dataDir`, or in memory. */
  readonly database: DatabaseConfig | null;
  /** The folder of a server that keeps everything in one file. */
  readonly dataDir: string | null;
  /** Keeps what was acknowledged, so that a restore of the database is noticed; null with `dataDir`: a file in it. */
  readonly stateFile: string | null;
  /** Null wakes and counts in this process, or by looking at the database. */
  readonly redisUrl: string | null;
  readonly masterKey: Uint8Array | null;
  readonly oldMasterKeys: readonly Uint8Array[];
  /** Partners to create or update at start; null for the demo partner, where the demo is served, or none. */
  readonly seed: Seed | null;
  /** What moves money in place of the sandbox provider; null for none. */
  readonly legs: LegsConfig | null;
  /** Multiplies every limit; null for no limits. */
  readonly rateLimits: number | null;
  /** A request without an answer by then is answered 503. */
  readonly requestTimeoutMs: number;
  /** How long the ports stay open once the server is to stop, so that balancers notice. */
  /** Where clients reach the API, or null if not configured. */
  readonly publicUrl: string | null;
  readonly drainDelayMs: number;
  /** How long an idle connection is kept. */
  readonly keepAliveMs: number;
  /** Serves the demo shop. */
  readonly demo: boolean;
  /** Whose `X-Forwarded-For` is believed, as the frameworks take it. */
  readonly trustedProxies: string | null;
  /** Whether live mode runs on the sandbox provider, which moves no real money. */
  readonly liveSandbox: boolean;
  readonly testClock: boolean;
  readonly allowPrivateWebhooks: boolean;
  readonly log: 'pretty' | 'json' | 'silent';
  /** What is legal and probably not meant. */
  readonly warnings: readonly string[];
}

export interface DatabaseConfig {
  readonly url: string;
  /** Connections for requests and work; operators' looks have two of their own. */
  readonly connectionsMax: number;
  /** A proxy that pools by transaction stands in between: nothing may be asked of a connection itself. */
  readonly isBehindProxy: boolean;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** The configuration of this process. Throws a `StartError` that lists every problem there is. */
export function configOfProcess(): Config {
  return readConfig(process.env, { isTerminal: process.stdout.isTTY });
}

/** An empty variable counts as one that is not set: that is how compose files and shells leave one out. */
export function readConfig(environment: Environment, { isTerminal }: { readonly isTerminal: boolean }): Config {
  const { set, problems: fileProblems } = withSecretFiles(
    Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== undefined && value !== '')),
  );
  const read = VARIABLES.safeParse(set);
  const seedFile = readNamedFile(set, 'GATE_SEED_FILE', readSeed);
  const legsFile = readLegsFile(set);
  const problems = [
    ...fileProblems,
    ...(read.success ? [] : read.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`)),
    ...sharedPorts(set),
    ...keysWithoutSuccessor(set),
    ...roleProblems(set),
    ...dataDirProblems(set),
    ...missingMasterKey(set),
    ...seedFile.problems,
    ...legsFile.problems,
  ];
  if (!read.success || problems.length > 0) throw new StartError(problems);
  const variables = read.data;
  const database = databaseOf(variables);
  const isInMemory = database === null && variables.GATE_DATA_DIR === null;
  const seed = seedFile.read?.seed ?? null;
  const demo = variables.GATE_DEMO ?? isInMemory;
  // The demo partner's shop receives webhooks on this machine and moves the test clock; a data directory has one process.
  const isDemo = isInMemory || (database === null && hasDemoPartner({ demo, seed, host: variables.GATE_HOST }));
  return {
    host: variables.GATE_HOST,
    hostNames: variables.GATE_HOST_NAMES,
    ports: portsOf(variables),
    http: variables.GATE_HTTP,
    role: variables.GATE_ROLE,
    database,
    dataDir: variables.GATE_DATA_DIR,
    stateFile: variables.GATE_STATE_FILE,
    redisUrl: variables.REDIS_URL,
    masterKey: variables.GATE_MASTER_KEY,
    oldMasterKeys: variables.GATE_MASTER_KEYS_OLD,
    seed,
    legs: legsFile.read?.legs ?? null,
    rateLimits: variables.GATE_RATE_LIMITS,
    requestTimeoutMs: variables.GATE_REQUEST_TIMEOUT_MS,
    publicUrl: variables.GATE_PUBLIC_URL,
    drainDelayMs: variables.GATE_DRAIN_DELAY_MS,
    keepAliveMs: variables.GATE_KEEP_ALIVE_MS,
    demo,
    trustedProxies: variables.GATE_TRUSTED_PROXIES,
    liveSandbox: variables.GATE_LIVE_SANDBOX ?? isInMemory,
    testClock: variables.GATE_TEST_CLOCK ?? isDemo,
    allowPrivateWebhooks: variables.GATE_ALLOW_PRIVATE_WEBHOOKS ?? isDemo,
    log: variables.GATE_LOG ?? (isTerminal ? 'pretty' : 'json'),
    warnings: [
      ...unknownVariables(set, legsFile.read?.variables ?? []),
      ...roleWarnings(variables.GATE_ROLE, database),
    ],
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

function databaseOf(variables: z.output<typeof VARIABLES>): DatabaseConfig | null {
  const {
    DATABASE_URL: url,
    GATE_DATABASE_CONNECTIONS: connectionsMax,
    GATE_DATABASE_PROXY: isBehindProxy,
  } = variables;
  return url === null ? null : { url, connectionsMax, isBehindProxy };
}

/** Two listeners on one port: found before either is opened, and reported with both names. */
function sharedPorts(set: SetVariables): readonly string[] {
  const taken = new Map<string, string>();
  return Object.values(LISTENERS).flatMap(({ variable, port }) => {
    const text = set[variable] ?? String(port);
    const other = taken.get(text);
    taken.set(text, variable);
    return other === undefined || text === '0' ? [] : [`${variable}: port ${text} is already used by ${other}.`];
  });
}

function keysWithoutSuccessor(set: SetVariables): readonly string[] {
  if (set['GATE_MASTER_KEYS_OLD'] === undefined || set['GATE_MASTER_KEY'] !== undefined) return [];
  return ['GATE_MASTER_KEYS_OLD: is set without GATE_MASTER_KEY; old keys are only used to decrypt.'];
}

/** Several processes need a store they share, and the test clock is one process's own. */
function roleProblems(set: SetVariables): readonly string[] {
  const role = set['GATE_ROLE'];
  const isShared = set['DATABASE_URL'] !== undefined;
  if (role === 'worker' && !isShared && set['GATE_DATA_DIR'] === undefined)
    return ['GATE_ROLE: a worker needs a store shared with other processes; set DATABASE_URL, or use "all".'];
  const hasClock = set['GATE_TEST_CLOCK'] === 'on' || set['GATE_TEST_CLOCK'] === 'true';
  if (isShared && hasClock && (role === 'worker' || role === 'api')) {
    return [
      `GATE_TEST_CLOCK: the test clock works in a single process only; turn it off, or use GATE_ROLE=all instead of "${role}".`,
    ];
  }
  return [];
}

/** One folder is one server's, which does everything. */
function dataDirProblems(set: SetVariables): readonly string[] {
  if (set['GATE_DATA_DIR'] === undefined) return [];
  const role = set['GATE_ROLE'] ?? 'all';
  return [
    ...(set['DATABASE_URL'] === undefined
      ? []
      : [
          'GATE_DATA_DIR: is set together with DATABASE_URL; set only one of them. "gate move" moves the data from the folder to Postgres.',
        ]),
    ...(role === 'all'
      ? []
      : [`GATE_ROLE: a data folder supports a single server only; use "all" instead of "${role}".`]),
  ];
}

function missingMasterKey(set: SetVariables): readonly string[] {
  if (set['DATABASE_URL'] === undefined || set['GATE_MASTER_KEY'] !== undefined) return [];
  return [
    'GATE_MASTER_KEY: is required with DATABASE_URL; it encrypts secrets in the database. Generate one with "openssl rand -base64 32" and keep it.',
  ];
}

/** What the file of a variable holds, its problems under the variable's name; null when the variable is not set. */
/** The provider legs of these settings, and every problem of their file. */
export function readLegsFile(set: SetVariables) {
  return readNamedFile(set, 'GATE_LEGS_FILE', (text) => readLegs(text, set));
}

function readNamedFile<Read extends { readonly problems: readonly string[] }>(
  set: SetVariables,
  name: 'GATE_SEED_FILE' | 'GATE_LEGS_FILE',
  read: (text: string) => Read,
): { readonly read: Read | null; readonly problems: readonly string[] } {
  const path = set[name];
  if (path === undefined) return { read: null, problems: [] };
  try {
    const found = read(readFileSync(path, 'utf8'));
    return { read: found, problems: found.problems.map((problem) => `${name}: ${problem}`) };
  } catch (error) {
    return { read: null, problems: [`${name}: cannot read "${path}" (${codeOf(error)}).`] };
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
}

/** A misspelt name would otherwise be a setting that silently does nothing. */
function unknownVariables(set: SetVariables, named: readonly string[]): readonly string[] {
  return Object.keys(set)
    .filter((name) => name.startsWith('GATE_') && !(name in VARIABLES.shape) && !named.includes(name))
    .map((name) => `${name} is not a setting of this server and has no effect; check its spelling.`);
}

function roleWarnings(role: Config['role'], database: DatabaseConfig | null): readonly string[] {
  if (role !== 'api' || database !== null) return [];
  return [
    'GATE_ROLE=api with embedded adapters: no other process can see this store, so no webhooks are delivered and no payments settle.',
  ];
}
