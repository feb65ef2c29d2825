import { readFileSync } from 'node:fs';
import type { Policy } from '@gateramp/core';
import type * as z from 'zod';
import { LISTENERS, VARIABLES, type ListenerName } from './config-variables.js';
import { readSeed, type Seed } from './config-seed-file.js';
import { readLegs, type LegsConfig } from './legs/legs-file.js';
import { withSecretFiles } from './config-secret-files.js';
import type { OidcConfig } from './sign-in/oidc.js';
import { bindsLoopbackOnly, hasDemoPartner } from './demo/has-demo-partner.js';
import { StartError } from './start-error.js';

/** The validated configuration. */
export interface Config {
  readonly host: string;
  /** Additional host names of the demo and operators' listeners. */
  readonly hostNames: readonly string[];
  readonly ports: Readonly<Record<ListenerName, number>>;
  readonly http: 'fastify' | 'express';
  readonly role: 'all' | 'api' | 'worker';
  /** The database; null with `dataDir`, or in memory. */
  readonly database: DatabaseConfig | null;
  /** The folder of a server that keeps everything in one file. */
  readonly dataDir: string | null;
  /** Records acknowledged writes, so that a restore of the database is detected; null with `dataDir`, whose folder contains it. */
  readonly stateFile: string | null;
  /** Without Redis, scheduling and rate limits use this process or the database. */
  readonly redisUrl: string | null;
  readonly masterKey: Uint8Array | null;
  readonly oldMasterKeys: readonly Uint8Array[];
  /** Partners to create or update at the start; null for the demo partner, if the demo is served, or none. */
  readonly seed: Seed | null;
  /** The provider legs, which replace the sandbox provider; null for none. */
  readonly legs: LegsConfig | null;
  /** Multiplies all limits; null for no limits. */
  readonly rateLimits: number | null;
  /** Requests that take longer are answered 503. */
  readonly requestTimeoutMs: number;
  /** The public URL of the API, or null if not configured. */
  readonly publicUrl: string | null;
  /** The addresses at which browsers reach listeners, where they differ from those of the ports. */
  readonly publicUrls: Partial<Readonly<Record<'sandbox' | 'live' | 'sandboxWidget' | 'widget', string>>>;
  /** The public origin of the console, or null if it is reached at its own port. */
  readonly consoleUrl: string | null;
  /** Single sign-on of operators at the console; null for none. */
  readonly oidc: OidcConfig | null;
  /** How long the ports stay open after a stop signal, so that load balancers notice. */
  readonly drainDelayMs: number;
  /** How long an idle connection is kept. */
  readonly keepAliveMs: number;
  /** Serves the demo shop. */
  readonly demo: boolean;
  /** The proxies whose `X-Forwarded-For` is trusted, in the format of the frameworks. */
  readonly trustedProxies: string | null;
  /** Whether live mode runs on the sandbox provider, which moves no real money. */
  readonly liveSandbox: boolean;
  readonly testClock: boolean;
  readonly testClockScope: Policy['testClock'];
  readonly allowPrivateWebhooks: boolean;
  /** The proxy through which webhooks are sent; null for none. */
  readonly webhookProxy: string | null;
  readonly log: 'pretty' | 'json' | 'silent';
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error';
  /** Whether traces are sent; how is for OpenTelemetry's own variables. */
  readonly traces: boolean;
  /** Warnings about valid settings that are probably unintended. */
  readonly warnings: readonly string[];
}

/** Whether data outlives the process: it is in Postgres or in a folder. */
export const isDurable = ({ database, dataDir }: Pick<Config, 'database' | 'dataDir'>): boolean =>
  database !== null || dataDir !== null;

export interface DatabaseConfig {
  readonly url: string;
  /** Connections for requests and work; operators' queries have two more. */
  readonly connectionsMax: number;
  /** Behind a transaction-pooling proxy, connections have no session state. */
  readonly isBehindProxy: boolean;
  /** The tables are distributed by partner over Citus. */
  readonly isDistributed: boolean;
  /** Time limit for operators' queries and for acquiring a connection, in milliseconds. Default: 2,000; tests set a higher one. */
  readonly opsTimeoutMs?: number;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** The configuration of this process. Throws a `StartError` that lists all problems. */
export function configOfProcess(): Config {
  return readConfig(process.env, { isTerminal: process.stdout.isTTY });
}

/** Whether a package manager runs this process as a script. */
export const isPackageScript = (): boolean => process.env['npm_lifecycle_event'] !== undefined;

/** Whether the log is set to JSON, before it is known that the configuration is valid. */
export const isJsonLogSet = (): boolean => process.env['GATE_LOG'] === 'json';

/** An empty variable counts as unset, since compose files and shells omit variables in this way. */
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
    ...oidcProblems(set),
    ...seedFile.problems,
    ...legsFile.problems,
  ];
  if (!read.success || problems.length > 0) throw new StartError(problems);
  const variables = read.data;
  const database = databaseOf(variables);
  const isInMemory = database === null && variables.GATE_DATA_DIR === null;
  const seed = seedFile.read?.seed ?? null;
  const demo = variables.GATE_DEMO ?? isInMemory;
  // The demo partner's shop receives webhooks on this machine and advances the test clock; a data directory has one process.
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
    publicUrls: publicUrlsOf(variables),
    consoleUrl: variables.GATE_CONSOLE_URL,
    oidc: oidcOf(variables),
    drainDelayMs: variables.GATE_DRAIN_DELAY_MS,
    keepAliveMs: variables.GATE_KEEP_ALIVE_MS,
    demo,
    trustedProxies: variables.GATE_TRUSTED_PROXIES,
    liveSandbox: variables.GATE_LIVE_SANDBOX ?? isInMemory,
    testClock: variables.GATE_TEST_CLOCK ?? isDemo,
    testClockScope: variables.GATE_TEST_CLOCK_SCOPE ?? 'partner',
    allowPrivateWebhooks: variables.GATE_ALLOW_PRIVATE_WEBHOOKS ?? isDemo,
    webhookProxy: variables.GATE_WEBHOOK_PROXY,
    logLevel: variables.GATE_LOG_LEVEL,
    log: variables.GATE_LOG ?? (isTerminal ? 'pretty' : 'json'),
    traces:
      (variables.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? variables.OTEL_EXPORTER_OTLP_ENDPOINT) !== null &&
      set['OTEL_SDK_DISABLED'] !== 'true',
    warnings: [
      ...unknownVariables(set, legsFile.read?.variables ?? []),
      ...roleWarnings(variables.GATE_ROLE, database),
    ],
  };
}

type SetVariables = Readonly<Record<string, string | undefined>>;

function portsOf(variables: Readonly<Record<(typeof LISTENERS)[ListenerName]['variable'], number>>): Config['ports'] {
  const { sandbox, live, sandboxWidget, widget, pools, demo, ops, console } = LISTENERS;
  return {
    sandbox: variables[sandbox.variable],
    live: variables[live.variable],
    sandboxWidget: variables[sandboxWidget.variable],
    widget: variables[widget.variable],
    pools: variables[pools.variable],
    demo: variables[demo.variable],
    ops: variables[ops.variable],
    console: variables[console.variable],
  };
}

function publicUrlsOf(variables: z.output<typeof VARIABLES>): Config['publicUrls'] {
  const { GATE_SANDBOX_URL: sandbox, GATE_LIVE_URL: live } = variables;
  const { GATE_SANDBOX_WIDGET_URL: sandboxWidget, GATE_WIDGET_URL: widget } = variables;
  return Object.fromEntries(Object.entries({ sandbox, live, sandboxWidget, widget }).filter(([, url]) => url !== null));
}

function databaseOf(variables: z.output<typeof VARIABLES>): DatabaseConfig | null {
  const {
    DATABASE_URL: url,
    GATE_DATABASE_CONNECTIONS: connectionsMax,
    GATE_DATABASE_PROXY: isBehindProxy,
    GATE_DATABASE_DISTRIBUTED: isDistributed,
  } = variables;
  return url === null ? null : { url, connectionsMax, isBehindProxy, isDistributed };
}

/** Finds listeners with the same port before any is opened, and reports both names. */
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

/** Several processes need a shared store, and can share only the clocks of sandboxes. */
function roleProblems(set: SetVariables): readonly string[] {
  const role = set['GATE_ROLE'];
  const isShared = set['DATABASE_URL'] !== undefined;
  if (role === 'worker' && !isShared && set['GATE_DATA_DIR'] === undefined)
    return ['GATE_ROLE: a worker needs a store shared with other processes; set DATABASE_URL, or use "all".'];
  const isOn = (value: string | undefined) => value === 'on' || value === 'true';
  const hasClock = isOn(set['GATE_TEST_CLOCK']);
  if (!isShared || !hasClock || (role !== 'worker' && role !== 'api')) return [];
  const others = [
    ...(set['GATE_TEST_CLOCK_SCOPE'] === 'mode' ? ['GATE_TEST_CLOCK_SCOPE=mode'] : []),
    ...(isOn(set['GATE_DATABASE_DISTRIBUTED']) ? ['GATE_DATABASE_DISTRIBUTED=on'] : []),
  ];
  return others.map(
    (other) =>
      `GATE_TEST_CLOCK: with ${other} the test clock works in a single process only; turn it off, or use GATE_ROLE=all instead of "${role}".`,
  );
}

/** A folder has a single server, with all roles. */
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

/** A provider sends people back to the console's own origin, so that must be known. */
function oidcProblems(set: SetVariables): readonly string[] {
  const { GATE_OIDC_ISSUER: issuer, GATE_OIDC_CLIENT_ID: client, GATE_OIDC_CLIENT_SECRET: secret } = set;
  const { GATE_HOST: host = '127.0.0.1', GATE_CONSOLE_URL: url } = set;
  if (issuer === undefined)
    return client === undefined && secret === undefined
      ? []
      : [
          'GATE_OIDC_ISSUER: is not set, but other settings of single sign-on are. Set it to the address of your provider.',
        ];
  return [
    ...(client === undefined
      ? [
          'GATE_OIDC_CLIENT_ID: is required with GATE_OIDC_ISSUER; your provider shows it where the console is registered.',
        ]
      : []),
    ...(url === undefined && !bindsLoopbackOnly(host)
      ? ['GATE_CONSOLE_URL: is required with GATE_OIDC_ISSUER; the provider redirects users to it.']
      : []),
  ];
}

function oidcOf(variables: z.output<typeof VARIABLES>): OidcConfig | null {
  const { GATE_OIDC_ISSUER: issuer, GATE_OIDC_CLIENT_ID: clientId, GATE_OIDC_CLIENT_SECRET: clientSecret } = variables;
  const {
    GATE_OIDC_ROLES_CLAIM: rolesClaim,
    GATE_OIDC_PARTNERS_CLAIM: partnersClaim,
    GATE_OIDC_SCOPES: scopes,
  } = variables;
  if (issuer === null || clientId === null) return null;
  return { issuer, clientId, clientSecret, rolesClaim, partnersClaim, scopes };
}

/** The provider legs of these settings, and all problems of their file. */
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

/** A misspelt variable would otherwise be ignored silently. */
function unknownVariables(set: SetVariables, named: readonly string[]): readonly string[] {
  return Object.keys(set)
    .filter((name) => name.startsWith('GATE_') && !(name in VARIABLES.shape) && !named.includes(name))
    .map((name) => `${name} is not a setting of this server and has no effect; check its spelling.`);
}

function roleWarnings(role: Config['role'], database: DatabaseConfig | null): readonly string[] {
  if (role !== 'api' || database !== null) return [];
  return [
    'GATE_ROLE=api with data in memory: no worker can access this data, so no webhooks are delivered and no payments settle.',
  ];
}
