import type { ConsoleAlarms, ConsoleLegs } from '@gateramp/console';
import { sandboxPools, sandboxProvider } from '@gateramp/adapters-provider-sandbox';
import { InstallationError } from '@gateramp/adapters-store-postgres';
import { InstallationError as FileFault } from '@gateramp/adapters-store-sqlite';
import { createGate, DEFAULT_POLICY, type Mode, type Policy } from '@gateramp/core';
import { VERSION } from '@gateramp/core/http';
import type { Crypto, Settings, Store, Telemetry, WebhookSender } from '@gateramp/core/ports';
import { nodeCrypto, undiciWebhookSender } from '@gateramp/core/runtime';
import type { LegsStore } from '@gateramp/provider-legs';
import { alarmLink } from './monitoring/alarm-path.js';
import { alarmLine } from './monitoring/alarms.js';
import { openAdapters, type Adapters } from './adapters.js';
import { commitHealth } from './commit-health.js';
import type { Config } from './config.js';
import { dataDirError } from './data-dir/data-dir-error.js';
import { masterKeyOf } from './data-dir/data-dir.js';
import { databaseError } from './database/open-database.js';
import { makeMonths, watchPartitions } from './database/partition-months.js';
import { extensionsOf, type Gate } from './gate.js';
import { watchAuditHead } from './history/audit-head.js';
import { composeHistory } from './history/compose-history.js';
import { heldLegsStore, unlessHeld } from './history/held-legs.js';
import { consoleLegs } from './legs/console-legs.js';
import { openLegs, type LegPages, type OpenLegs, type PagesPlace } from './legs/open-legs.js';
import { announceProcess } from './monitoring/processes.js';
import { firingHere, presentAlarms } from './monitoring/present-alarms.js';
import { storedStates } from './monitoring/stored-states.js';
import { logTelemetry } from './log-telemetry.js';
import type { Log } from './log.js';
import type { DrainableWork } from './worker-control.js';
import { countedProvider } from './metrics/counted-provider.js';
import { countAlarm, countedStore, countedTelemetry } from './metrics/counted.js';
import { openMetrics, type Metrics } from './metrics/metrics.js';
import { watchConnections, watchLimits, watchOperator, watchStore } from './metrics/watched.js';
import { watchLegs } from './metrics/watch-legs.js';
import { refuseElsewhere } from './move/refuse-elsewhere.js';
import { openClock } from './open-clock.js';
import { spacedReports } from './spaced-reports.js';
import { StartError } from './start-error.js';
import { observedGate } from './observed-gate.js';

export interface Composition {
  readonly gate: Gate;
  /** The pages of the sandbox's bank and wallet, and their origin for browsers. */
  readonly sandboxPages: (request: Request) => Promise<Response>;
  readonly sandboxOrigin: string;
  /** The provider legs for the console; null for none. */
  readonly consoleLegs: ConsoleLegs | null;
  /** The present state of all alarms for the console. */
  readonly consoleAlarms: ConsoleAlarms;
  /** The pages of the provider legs; null if they have none. */
  readonly legPages: LegPages | null;
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

interface WidgetOrigins {
  readonly test: string;
  readonly live: string;
  /** The API in test mode, which also serves the sandbox's pages. */
  readonly sandboxApi: string;
  readonly liveApi: string;
}

/** The names of errors of the stores: reads may work while commits fail, so only a commit shows that the outage is over. */
const STORE_OUTAGES: ReadonlySet<string> = new Set(['StoreOutage', 'Outage']);

/** Creates the gate of a configuration. A process without listeners has no origins and needs none. */
export async function compose(config: Config, origins: WidgetOrigins | null, log: Log): Promise<Composition> {
  const metrics = openMetrics();
  const commits = commitHealth();
  let isRedisDegraded = (): boolean => false;
  const hasRecovered = (outage: string, lastAt: number): boolean => {
    if (outage === 'RedisOutage') return !isRedisDegraded();
    return !STORE_OUTAGES.has(outage) || commits.hasSucceededSince(lastAt);
  };
  const telemetry = countedTelemetry(logTelemetry(log, { hasRecovered, consoleUrl: config.consoleUrl }), metrics);
  const onError = spacedReports((error, place) => telemetry.failure(error, { place }));
  const adapters = await openAdapters(config, { metrics, telemetry, onProgress: (line) => log.info(line), onError });
  isRedisDegraded = adapters.isRedisDegraded ?? isRedisDegraded;
  try {
    const counted = countedStore(commits.watching(adapters.store), metrics);
    await refuseElsewhere(counted, { dataDir: config.dataDir, serves: true });
    const history = await composeHistory(config, adapters, { store: counted, telemetry });
    const store = history?.store ?? counted;
    const {
      clock,
      isTrusted: isClockTrusted,
      close: closeClock,
    } = await openClock(adapters.database, store, telemetry);
    const crypto = await openCrypto(await masterKeyFor(config, store), config, store);
    const sender = undiciWebhookSender({
      allowPrivate: config.allowPrivateWebhooks,
      proxy: config.webhookProxy,
    });
    const modes: readonly Mode[] = config.liveSandbox ? ['test', 'live'] : ['test'];
    const pagesUrl = origins === null ? {} : { pagesUrl: config.publicUrl ?? origins.sandboxApi };
    const isHeld = history?.isHeld ?? (() => false);
    const legs = legsOf(config, heldLegsStore(adapters.legsStore, isHeld), {
      metrics,
      log,
      telemetry,
      place: placeOf(config, origins),
    });
    const sandbox = sandboxProvider({
      ledger: adapters.ledger,
      callbackSecret: callbackSecret(crypto),
      modes: modes.filter((mode) => config.legs?.modes.includes(mode) !== true),
      ...pagesUrl,
      ...(config.demo ? { slowQuoteMs: DEMO_SLOW_QUOTE_MS } : {}),
    });
    // Imported on demand: loading OpenTelemetry takes a quarter of a second.
    const traces = config.traces ? (await import('./traces.js')).openTraces(onError) : null;
    const gate = createGate(
      {
        store,
        operator: adapters.operatorReads,
        scheduler: adapters.scheduler,
        limits: adapters.limits,
        providers: [legs?.provider ?? [], sandbox].flat().map((provider) => countedProvider(provider, metrics)),
        sandbox: sandbox.control,
        vault: adapters.vault(crypto),
        extensions: extensionsOf(sandboxPools({ ledger: adapters.ledger, modes })),
        crypto,
        telemetry,
        sender,
        ...(traces === null ? {} : { tracer: traces.tracer }),
        ...(origins === null
          ? {}
          : { hosts: { test: { widgetOrigin: origins.test }, live: { widgetOrigin: origins.live } } }),
        ...(config.publicUrl === null ? {} : { publicUrl: config.publicUrl }),
        ...(config.testClock ? { testClock: clock } : { clock }),
      },
      policyOf(config),
    );
    watch(config, metrics, adapters, { store, gate });
    const auditHead =
      history === null ? null : await watchAuditHead({ ...history, telemetry, audit: gate.admin.audit });
    if (legs !== null) watchLegs(metrics, legs, adapters.legsStore);
    // Workers continue what an API process starts.
    const startLegs = (): void =>
      legs?.start(gate.clock, (mode, seen) => gate.intents.report(mode, legs.provider.name, seen));
    const legsWork = legs === null ? null : unlessHeld({ start: startLegs, stop: () => legs.stop() }, isHeld);
    if (config.role !== 'api') legsWork?.start();
    const stopMonths =
      config.role === 'api' || config.database === null || adapters.database === null
        ? () => undefined
        : makeMonths(config.database, adapters.database, { clock, telemetry });
    const close = async (): Promise<void> => {
      stopMonths();
      await announced?.stop();
      await legsWork?.stop();
      closeClock();
      await auditHead?.close();
      await history?.close();
      await traces?.close();
      await adapters.close();
    };
    const legsOfConsole =
      legs === null || config.legs === null
        ? null
        : consoleLegs(legs, adapters.legsStore, config.legs.chain, gate.clock);
    const now = (mode: Mode): number => gate.clock.now(mode);
    const stored = storedStates({
      operator: adapters.operatorReads,
      legs: legsOfConsole,
      now,
      isClockTrusted,
      isHeld,
      isAuditSetBack: () => auditHead?.isSetBack() === true,
    });
    const own = { registry: metrics.registry, recent: metrics.recentAlarms };
    const { clock_untrusted: untrusted, history_changed: changed, audit_set_back: setBack } = stored;
    const announced = !store.isDurable
      ? null
      : announceProcess({
          settings: adapters.store,
          role: config.role,
          now: () => gate.clock.now('live'),
          leasesHeld: () => gate.leasesHeld(),
          alarms: firingHere({
            ...own,
            stored: {
              ...(untrusted === undefined ? {} : { clock_untrusted: untrusted }),
              ...(changed === undefined ? {} : { history_changed: changed }),
              ...(setBack === undefined ? {} : { audit_set_back: setBack }),
            },
          }),
        });
    return {
      gate: observedGate(gate, metrics, log),
      sandboxPages: sandbox.pages({
        now: (mode) => gate.clock.now(mode),
        framedBy: origins === null ? [] : [origins.test, origins.live],
      }),
      sandboxOrigin: new URL(pagesUrl.pagesUrl ?? 'https://sandbox.example').origin,
      legPages: legs?.pages ?? null,
      consoleLegs: legsOfConsole,
      consoleAlarms: presentAlarms({
        ...own,
        stored,
        ...(announced === null ? {} : { elsewhere: announced.alarmsElsewhere }),
      }),
      store,
      signInKey: crypto.keyedHash('console', 'sign-in'),
      adapters,
      metrics,
      sender,
      isClockTrusted,
      commitFailure: commits.failure,
      isHeld,
      worker:
        config.role === 'api'
          ? null
          : {
              drain: async () => void (await Promise.all([gate.drain(), legsWork?.stop()])),
              resume: async () => {
                legsWork?.start();
                await gate.resume();
              },
            },
      close,
    };
  } catch (error) {
    await adapters.close();
    throw errorOfPlace(error, config);
  }
}

function placeOf({ publicUrl }: Config, origins: WidgetOrigins | null): PagesPlace | null {
  if (origins === null) return null;
  const { sandboxApi, liveApi, test, live } = origins;
  return { apiOf: { test: publicUrl ?? sandboxApi, live: publicUrl ?? liveApi }, framedBy: [test, live] };
}

/** The provider legs of the configuration; null if the sandbox is the only provider. */
function legsOf(
  { legs, consoleUrl }: Config,
  store: LegsStore,
  {
    metrics,
    log,
    telemetry,
    place,
  }: {
    readonly metrics: Metrics;
    readonly log: Log;
    readonly telemetry: Telemetry;
    readonly place: PagesPlace | null;
  },
): OpenLegs | null {
  if (legs === null) return null;
  return openLegs(legs, {
    store,
    place,
    alarm: (name, fields) => {
      countAlarm(metrics, name, fields);
      log.error({ alarm: name, ...fields, ...alarmLink(fields, consoleUrl) }, alarmLine(name));
    },
    onError: (error) => telemetry.failure(error, { place: 'legs' }),
  });
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
    if (error instanceof InstallationError || error instanceof FileFault) throw error;
    throw new StartError([`GATE_MASTER_KEY: ${error.message}`]);
  });
  return crypto;
}

/** Longer than the time after which the checkout reports a late price. */
const DEMO_SLOW_QUOTE_MS = 5_000;
const DEMO_QUESTION_TIMEOUT_MS = 7_000;

/** Provider timeouts end before the request's own timeout. */
function policyOf({ requestTimeoutMs, rateLimits, demo, testClockScope }: Config): Partial<Policy> {
  const waitMax = Math.floor(requestTimeoutMs * 0.8);
  return {
    requestTimeout: requestTimeoutMs,
    rateLimitFactor: rateLimits ?? 1,
    keepsRefusedRequests: true,
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

/**
 * Derived from the installation rather than a master key: every process knows it, and quotes and callbacks survive a change of master keys.
 */
function callbackSecret(crypto: Crypto): string {
  return crypto.keyedHash('sandbox-provider', 'callbacks');
}
