import type { Policy } from '@gateramp/core';
import type * as z from 'zod';
import { hasDemoPartner } from '../demo/has-demo-partner.js';
import { readLegs, type LegsConfig } from '../legs/legs-file.js';
import { readSeed, type Seed } from '../seed/seed-file.js';
import type { OidcConfig } from '../sign-in/oidc.js';
import { StartError } from '../start-error.js';
import { conflictsOf, roleWarnings, unknownVariables } from './conflicts.js';
import { readNamedFile, setVariables, type Environment } from './environment.js';
import { VARIABLES, type ListenerName, type Variables } from './settings.js';

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

/** The configuration of this process. Throws a `StartError` that lists all problems. */
export function configOfProcess(): Config {
  return readConfig(process.env, { isTerminal: process.stdout.isTTY });
}

/** Throws a `StartError` that lists all problems. */
export function readConfig(environment: Environment, { isTerminal }: { readonly isTerminal: boolean }): Config {
  const { set, problems: fileProblems } = setVariables(environment);
  const read = VARIABLES.safeParse(set);
  const seedFile = readNamedFile(set, 'GATE_SEED_FILE', readSeed);
  const legsFile = readLegsFile(set);
  const problems = [
    ...fileProblems,
    ...(read.success ? [] : problemsOf(read.error)),
    ...conflictsOf(set),
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
    hostNames: variables.GATE_HOST_NAMES ?? [],
    ports: portsOf(variables),
    http: variables.GATE_HTTP,
    role: variables.GATE_ROLE,
    database,
    dataDir: variables.GATE_DATA_DIR,
    stateFile: variables.GATE_STATE_FILE,
    redisUrl: variables.REDIS_URL,
    masterKey: variables.GATE_MASTER_KEY,
    oldMasterKeys: variables.GATE_MASTER_KEYS_OLD ?? [],
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
    testClockScope: variables.GATE_TEST_CLOCK_SCOPE,
    allowPrivateWebhooks: variables.GATE_ALLOW_PRIVATE_WEBHOOKS ?? isDemo,
    webhookProxy: variables.GATE_WEBHOOK_PROXY,
    logLevel: variables.GATE_LOG_LEVEL,
    log: variables.GATE_LOG ?? (isTerminal ? 'pretty' : 'json'),
    traces:
      (variables.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? variables.OTEL_EXPORTER_OTLP_ENDPOINT) !== null &&
      set['OTEL_SDK_DISABLED'] !== 'true',
    warnings: [...unknownVariables(set, legsFile.read?.variables ?? []), ...roleWarnings(variables)],
  };
}

function portsOf(variables: Variables): Config['ports'] {
  return {
    sandbox: variables.GATE_SANDBOX_PORT,
    live: variables.GATE_LIVE_PORT,
    sandboxWidget: variables.GATE_SANDBOX_WIDGET_PORT,
    widget: variables.GATE_WIDGET_PORT,
    pools: variables.GATE_POOLS_PORT,
    demo: variables.GATE_DEMO_PORT,
    ops: variables.GATE_OPS_PORT,
    console: variables.GATE_CONSOLE_PORT,
  };
}

function publicUrlsOf(variables: Variables): Config['publicUrls'] {
  const { GATE_SANDBOX_URL: sandbox, GATE_LIVE_URL: live } = variables;
  const { GATE_SANDBOX_WIDGET_URL: sandboxWidget, GATE_WIDGET_URL: widget } = variables;
  return Object.fromEntries(Object.entries({ sandbox, live, sandboxWidget, widget }).filter(([, url]) => url !== null));
}

function databaseOf(variables: Variables): DatabaseConfig | null {
  const {
    DATABASE_URL: url,
    GATE_DATABASE_CONNECTIONS: connectionsMax,
    GATE_DATABASE_PROXY: isBehindProxy,
    GATE_DATABASE_DISTRIBUTED: isDistributed,
  } = variables;
  return url === null ? null : { url, connectionsMax, isBehindProxy, isDistributed };
}

function oidcOf(variables: Variables): OidcConfig | null {
  const { GATE_OIDC_ISSUER: issuer, GATE_OIDC_CLIENT_ID: clientId, GATE_OIDC_CLIENT_SECRET: clientSecret } = variables;
  const {
    GATE_OIDC_ROLES_CLAIM: rolesClaim,
    GATE_OIDC_PARTNERS_CLAIM: partnersClaim,
    GATE_OIDC_SCOPES: scopes,
  } = variables;
  if (issuer === null || clientId === null) return null;
  return { issuer, clientId, clientSecret, rolesClaim, partnersClaim, scopes };
}

export function problemsOf({ issues }: z.ZodError): readonly string[] {
  return issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
}

/** The provider legs of these settings, and all problems of their file. */
export function readLegsFile(set: Environment) {
  return readNamedFile(set, 'GATE_LEGS_FILE', (text) => readLegs(text, set));
}

/** Whether a package manager runs this process as a script. */
export const isPackageScript = (): boolean => process.env['npm_lifecycle_event'] !== undefined;

/** Whether the log is set to JSON, before it is known that the configuration is valid. */
export const isJsonLogSet = (): boolean => process.env['GATE_LOG'] === 'json';

/** The share of traces to sample, and whether the decision of a caller comes first. */
interface TraceShare {
  readonly share: number;
  readonly followsParent: boolean;
}

/** What OpenTelemetry's variables say; null for another kind of sampler, and for a share that the SDK reports as invalid. */
export function traceShareOfProcess(): TraceShare | null {
  const { OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: text = '' } = process.env;
  const share = Number(text);
  if (text.trim() === '' || !(share >= 0 && share <= 1)) return null;
  if (name !== 'traceidratio' && name !== 'parentbased_traceidratio') return null;
  return { share, followsParent: name === 'parentbased_traceidratio' };
}
