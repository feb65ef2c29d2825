import type { ConsoleAlarms, ConsoleLegs } from '@gateramp/console';
import { createGate, DEFAULT_POLICY, type Policy } from '@gateramp/core';
import { VERSION } from '@gateramp/core/http';
import { InstallationError, type Crypto, type Settings, type Store, type WebhookSender } from '@gateramp/core/ports';
import { nodeCrypto, undiciWebhookSender } from '@gateramp/core/runtime';
import { openAdapters, type AdapterReports, type Adapters } from './adapters.js';
import { commitHealth, type CommitHealth } from './commit-health.js';
import type { Config } from './config/config.js';
import { dataDirError } from './data-dir/data-dir-error.js';
import { masterKeyOf } from './data-dir/data-dir.js';
import { databaseError } from './database/open-database.js';
import { makeMonths, watchPartitions } from './database/partition-months.js';
import { extensionsOf, type Gate } from './gate.js';
import { watchAuditHead } from './history/audit-head.js';
import { composeHistory } from './history/compose-history.js';
import { unlessHeld } from './history/held-legs.js';
import { logTelemetry } from './log-telemetry.js';
import type { Log } from './log.js';
import type { DrainableWork } from './worker-control.js';
import { countedProvider } from './metrics/counted-provider.js';
import { countedStore, countedTelemetry } from './metrics/counted.js';
import { openConsoleViews } from './monitoring/console-views.js';
import type { OpenLegs } from './legs/open-legs.js';
import { openProviders, pagesOf, type ProviderPages, type Providers, type WidgetOrigins } from './providers.js';
import { openMetrics, type Metrics } from './metrics/metrics.js';
import { watchConnections, watchLimits, watchOperator, watchStore } from './metrics/watched.js';
import { refuseElsewhere } from './move/refuse-elsewhere.js';
import { openClock, type OpenClock } from './open-clock.js';
import { spacedReports } from './spaced-reports.js';
import { StartError } from './start-error.js';
import type { History } from './history/history.js';
import type { Traces } from './traces.js';
import { observedGate } from './observed-gate.js';

export interface Composition extends ProviderPages {
  readonly gate: Gate;
  /** The provider legs for the console; null for none. */
  readonly consoleLegs: ConsoleLegs | null;
  /** The present state of all alarms for the console. */
  readonly consoleAlarms: ConsoleAlarms;
  readonly store: Store;
  /** Signs what browsers keep of a sign-in to the console. */
  readonly signInKey: string;
  readonly adapters: Adapters;
  readonly metrics: Metrics;
  /** Closed by the server, after the last request and the last attempt. */
  readonly sender: WebhookSender;
  /** False while the database's time is unknown. */
  readonly isClockTrusted: () => boolean;
  /** The last error while commits of this process fail, which must not receive traffic then; null while they succeed. */
  readonly commitFailure: () => unknown;
  /** True after a restore or a failover that lost commits, until an operator accepts the state of the database. */
  readonly isHeld: () => boolean;
  /** The work of this process, apart from its requests; null if it does none. */
  readonly worker: DrainableWork | null;
  /** Ends background work, then closes every connection. */
  close(): Promise<void>;
}

/** The names of errors of the stores: reads may work while commits fail, so only a commit shows that the outage is over. */
const STORE_OUTAGES: ReadonlySet<string> = new Set(['StoreOutage', 'Outage']);

/** Creates the gate of a configuration. A process without listeners has no origins and needs none. */
export async function compose(config: Config, origins: WidgetOrigins | null, log: Log): Promise<Composition> {
  let isRedisDegraded = (): boolean => false;
  const reports = openReports(config, log, () => isRedisDegraded());
  const adapters = await openAdapters(config, reports);
  isRedisDegraded = adapters.isRedisDegraded ?? isRedisDegraded;
  try {
    return await composeOn(adapters, { config, origins, reports });
  } catch (error) {
    await adapters.close();
    throw errorOfPlace(error, config);
  }
}

/** What all parts of a composition are made for. */
interface Context {
  readonly config: Config;
  readonly origins: WidgetOrigins | null;
  readonly reports: Reports;
}

async function composeOn(adapters: Adapters, context: Context): Promise<Composition> {
  const { config, reports } = context;
  const { metrics, telemetry } = reports;
  const data = await openData(adapters, context);
  const providers = openProviders(adapters, { ...reports, ...data, config, origins: context.origins });
  const sender = undiciWebhookSender({ allowPrivate: config.allowPrivateWebhooks, proxy: config.webhookProxy });
  // Imported on demand: loading OpenTelemetry takes a quarter of a second.
  const traces = config.traces ? (await import('./traces.js')).openTraces(reports.onError) : null;
  const gate = gateOn(adapters, { ...context, data, providers, sender, traces });
  watch(config, metrics, adapters, { store: data.store, gate });
  const auditHead =
    data.history === null ? null : await watchAuditHead({ ...data.history, telemetry, audit: gate.admin.audit });
  const work = startWork(adapters, { ...context, data, legs: providers.legs, gate });
  const views = openConsoleViews(adapters, {
    config,
    metrics,
    gate,
    legs: providers.legs,
    isClockTrusted: data.clock.isTrusted,
    isHeld: data.isHeld,
    isAuditSetBack: () => auditHead?.isSetBack() === true,
  });
  return {
    gate: observedGate(gate, metrics, reports.log),
    ...pagesOf(providers, gate, context.origins),
    consoleLegs: views.legs,
    consoleAlarms: views.alarms,
    store: data.store,
    signInKey: data.crypto.keyedHash('console', 'sign-in'),
    adapters,
    metrics,
    sender,
    isClockTrusted: data.clock.isTrusted,
    commitFailure: reports.commits.failure,
    isHeld: data.isHeld,
    worker: config.role === 'api' ? null : drainable(gate, work.legs),
    close: async () => {
      work.stopMonths();
      await views.stop();
      await work.legs?.stop();
      data.clock.close();
      await auditHead?.close();
      await data.history?.close();
      await traces?.close();
      await adapters.close();
    },
  };
}

/** Where the parts of a composition report to. */
interface Reports extends AdapterReports {
  readonly log: Log;
  readonly commits: CommitHealth;
}

function openReports(config: Config, log: Log, isRedisDegraded: () => boolean): Reports {
  const metrics = openMetrics();
  const commits = commitHealth();
  const hasRecovered = (outage: string, lastAt: number): boolean => {
    if (outage === 'RedisOutage') return !isRedisDegraded();
    return !STORE_OUTAGES.has(outage) || commits.hasSucceededSince(lastAt);
  };
  const telemetry = countedTelemetry(logTelemetry(log, { hasRecovered, consoleUrl: config.consoleUrl }), metrics);
  return {
    log,
    metrics,
    commits,
    telemetry,
    onError: spacedReports((error, place) => telemetry.failure(error, { place })),
    onProgress: (line) => log.info(line),
  };
}

/** The data of this server: who may write it, by which clock, and with which keys. */
interface Data {
  readonly store: Store;
  readonly history: History | null;
  readonly isHeld: () => boolean;
  readonly clock: OpenClock;
  readonly crypto: Crypto;
}

async function openData(adapters: Adapters, { config, reports }: Context): Promise<Data> {
  const { metrics, telemetry, commits } = reports;
  const counted = countedStore(commits.watching(adapters.store), metrics);
  await refuseElsewhere(counted, { dataDir: config.dataDir, serves: true });
  const history = await composeHistory(config, adapters, { store: counted, telemetry });
  const store = history?.store ?? counted;
  const clock = await openClock(adapters.database, store, telemetry);
  const crypto = await openCrypto(await masterKeyFor(config, store), config, store);
  return { store, history, isHeld: history?.isHeld ?? (() => false), clock, crypto };
}

function gateOn(
  adapters: Adapters,
  {
    config,
    origins,
    reports: { metrics, telemetry },
    data: { store, clock, crypto },
    providers: { legs, sandbox, pools },
    sender,
    traces,
  }: Context & {
    readonly data: Data;
    readonly providers: Providers;
    readonly sender: WebhookSender;
    readonly traces: Traces | null;
  },
): Gate {
  return createGate(
    {
      store,
      operator: adapters.operatorReads,
      scheduler: adapters.scheduler,
      limits: adapters.limits,
      providers: [legs?.provider ?? [], sandbox].flat().map((provider) => countedProvider(provider, metrics)),
      vault: adapters.vault(crypto),
      extensions: extensionsOf({ poolProvider: pools, control: sandbox.control }),
      crypto,
      telemetry,
      sender,
      ...(traces === null ? {} : { tracer: traces.tracer }),
      ...(origins === null
        ? {}
        : { hosts: { test: { widgetOrigin: origins.test }, live: { widgetOrigin: origins.live } } }),
      ...(config.publicUrl === null ? {} : { publicUrl: config.publicUrl }),
      ...(config.testClock ? { testClock: clock.clock } : { clock: clock.clock }),
    },
    policyOf(config),
  );
}

/** Starts the background work that the gate does not do itself. */
function startWork(
  { database }: Adapters,
  {
    config,
    reports,
    data,
    legs,
    gate,
  }: Context & { readonly data: Data; readonly legs: OpenLegs | null; readonly gate: Gate },
) {
  // Workers continue what an API process starts.
  const startLegs = (): void =>
    legs?.start(gate.clock, (mode, seen) => gate.intents.report(mode, legs.provider.name, seen));
  const legsWork = legs === null ? null : unlessHeld({ start: startLegs, stop: () => legs.stop() }, data.isHeld);
  if (config.role !== 'api') legsWork?.start();
  const stopMonths =
    config.role === 'api' || config.database === null || database === null
      ? () => undefined
      : makeMonths(config.database, database, { clock: data.clock.clock, telemetry: reports.telemetry });
  return { legs: legsWork, stopMonths };
}

function drainable(gate: Gate, legs: ReturnType<typeof startWork>['legs']): DrainableWork {
  return {
    drain: async () => void (await Promise.all([gate.drain(), legs?.stop()])),
    resume: async () => {
      legs?.start();
      await gate.resume();
    },
  };
}

/** Converts an error of the data folder or database into one that an operator can act on. */
export function errorOfPlace(error: unknown, { dataDir, database }: Config): unknown {
  if (dataDir !== null) return dataDirError(error, dataDir);
  return database === null ? error : databaseError(error, database.url);
}

/** The master key of the environment or the data folder; null if everything is in memory. */
async function masterKeyFor({ masterKey, dataDir }: Config, store: Store): Promise<Uint8Array | null> {
  if (masterKey !== null || dataDir === null) return masterKey;
  return masterKeyOf(dataDir, { makes: true, isSealed: (await store.readSetting('pepper')) !== null });
}

/** Opened at the start rather than at the first request, so that a wrong master key prevents the start. */
async function openCrypto(
  masterKey: Uint8Array | null,
  { oldMasterKeys }: Config,
  settings: Settings,
): Promise<Crypto> {
  const crypto = nodeCrypto({ masterKey, oldMasterKeys });
  await crypto.open(settings).catch((error: unknown) => {
    if (!(error instanceof Error) || 'outage' in error) throw error;
    if (error instanceof InstallationError) throw error;
    throw new StartError([`GATE_MASTER_KEY: ${error.message}`]);
  });
  return crypto;
}

const DEMO_QUESTION_TIMEOUT_MS = 7_000;

/** Provider timeouts end before the request's own timeout. */
function policyOf({ requestTimeoutMs, rateLimits, demo, testClockScope }: Config): Partial<Policy> {
  const waitMax = Math.floor(requestTimeoutMs * 0.8);
  return {
    requestTimeout: requestTimeoutMs,
    rateLimitFactor: rateLimits ?? 1,
    testClock: testClockScope,
    providerAnswerTimeout: Math.min(DEFAULT_POLICY.providerAnswerTimeout, waitMax),
    providerQuestionTimeout: Math.min(
      demo ? DEMO_QUESTION_TIMEOUT_MS : DEFAULT_POLICY.providerQuestionTimeout,
      waitMax,
    ),
  };
}

function watch(
  config: Config,
  metrics: Metrics,
  adapters: Adapters,
  { store, gate }: Pick<Composition, 'store' | 'gate'>,
): void {
  const scheduler = config.redisUrl !== null ? 'redis' : config.database !== null ? 'polling' : 'in-process';
  metrics.info.set({ role: config.role, store: storeName(config), scheduler, version: VERSION }, 1);
  watchStore(metrics, store, gate.clock);
  if (adapters.operator !== null) watchOperator(metrics, adapters.operator, gate.clock);
  if (adapters.database !== null) {
    watchConnections(metrics, adapters.database);
    watchPartitions(metrics, adapters.database, gate.clock);
  }
  watchLimits(metrics, adapters.isRedisDegraded ?? (() => false));
}

function storeName({ database, dataDir }: Config): string {
  if (database !== null) return 'postgres';
  return dataDir === null ? 'memory' : 'sqlite';
}
