import type { RequestListener } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import type { ApiKey, Mode } from '@gateramp/core';
import { keyId } from '@gateramp/core/domain';
import type { GateHost } from '@gateramp/core/http';
import { isOutage } from '@gateramp/core/ports';
import { atMost } from '@gateramp/core/runtime';
import { demoShop } from '@gateramp/demo-shop';
import { widgetListener } from '@gateramp/widget';
import { applySeed } from './seed/apply-seed.js';
import { consoleMount, consoleOrigins } from './http/console-mount.js';
import { compose, errorOfPlace, type Composition } from './compose.js';
import { type Config, isDurable } from './config/config.js';
import type { Seed } from './seed/seed-file.js';
import { DEMO_KEYS, demoSeed, webhookSecretsOf } from './demo/demo-partner.js';
import { hasDemoPartner } from './demo/has-demo-partner.js';
import { ALL_LISTENERS, bindListeners, WITHOUT_DEMO, type Listeners } from './http/bind-listeners.js';
import type { DrainingServer } from './http/draining-server.js';
import { withPages } from './http/pages-listener.js';
import { gateListener, refuseUnread } from './http/gate-listener.js';
import { opsListener } from './http/ops-listener.js';
import { ownHostsOnly, type OwnHosts } from './http/own-hosts.js';
import type { Log } from './log.js';
import { readiness } from './readiness.js';
import { workerControl } from './worker-control.js';
import { readReferenceFiles, referenceFolder } from './reference/reference-files.js';
import { referenceListener } from './reference/reference-listener.js';

export interface Server {
  /** The origins of the listeners of this role. */
  readonly origins: Partial<Listeners['origins']>;
  /** Stops accepting requests, and resolves when running requests and attempts have ended, or after twelve seconds. */
  drain(): Promise<'drained' | 'cut_short'>;
  /** Drains the worker alone; the ports stay open. */
  drainWorker(): void;
  /** A new one-time link by which an operator enters the console; null where it is not served on this machine alone. */
  readonly operatorLink: () => Promise<string | null>;
}

const DRAIN_MAX_MS = 12_000;

/** Opens the ports first, since the gate must know its origins; then creates the gate, its partners, and the handlers of each port. */
export async function startServer(config: Config, log: Log): Promise<Server> {
  return config.role === 'worker' ? startWorker(config, log) : startListening(config, log);
}

async function startListening(config: Config, log: Log): Promise<Server> {
  const { servers, origins } = await bindListeners(config, config.demo ? ALL_LISTENERS : WITHOUT_DEMO);
  const reached = { ...origins, ...config.publicUrls };
  try {
    const composition = await compose(
      config,
      { test: reached.sandboxWidget, live: reached.widget, sandboxApi: reached.sandbox, liveApi: reached.live },
      log,
    );
    const { gate, store } = composition;
    const seed = config.seed ?? demoSeedOf(config, origins.demo);
    warnOfUnnamedKeys(
      log,
      config.seed,
      await applySeed(gate, store, seed, config.seed === null ? 'demo' : 'GATE_SEED_FILE'),
    );

    const checkout = (mode: Mode, apiOrigin: string, previewedBy: readonly string[]) =>
      checkoutListener(composition, { mode, apiOrigin, previewedBy, log });
    servers.sandboxWidget.serve(checkout('test', reached.sandbox, consoleOrigins(config, origins.console)));
    servers.widget.serve(checkout('live', reached.live, []));
    const closeShop = config.demo
      ? await serveShop(servers.demo, { ...origins, sandboxWidget: reached.sandboxWidget }, { config, seed, log })
      : null;
    const mount = {
      onWarning: (message: string): void => log.warn(message),
      trustedProxies: config.trustedProxies,
    };
    const files = readReferenceFiles(referenceFolder());
    const { sandboxPages, legPages } = composition;
    const onError = (error: unknown) => log.error({ err: error }, 'Request to a page of a provider failed');
    const pages = (mode: Mode, api: RequestListener): RequestListener => {
      const withLegs = legPages?.mode === mode ? withPages(api, { ...legPages, onError }) : api;
      if (mode === 'live') return withLegs;
      return withPages(withLegs, { prefix: '/sandbox/', answer: sandboxPages, onError });
    };
    const serve = async (server: DrainingServer, host: GateHost, mode: Mode): Promise<void> => {
      const api = await gateListener(config.http, { ...mount, gate: host, mode });
      const listener = referenceListener({ gate: host, mode, files, api, trustedProxies: config.trustedProxies });
      server.serve(pages(mode, listener), refuseUnread(host, mode));
    };
    await serve(servers.sandbox, gate, 'test');
    await serve(servers.live, gate, 'live');
    await serve(servers.pools, gate.poolsHost, 'live');
    const { listener: consoleListener, operatorLink } = consoleMount({
      gate,
      config,
      origin: origins.console,
      checkoutOrigin: reached.sandboxWidget,
      signInKey: composition.signInKey,
      legs: composition.consoleLegs,
      alarms: composition.consoleAlarms,
      limits: composition.adapters.limits,
      log,
    });
    servers.console.serve(ownHostsOnly(consoleHostsOf(config), consoleListener));
    const { ops, demo, ...others } = servers;
    const stopping = serveOps({ server: ops, own: ownHostsOf(config) }, composition, log, {
      first: Object.values(others),
      // Running attempts may be deliveries to the demo shop, whose pages show them until the end.
      last: closeShop === null ? [] : [{ drain: () => (closeShop(), demo.drain()) }],
      delayMs: config.drainDelayMs,
    });
    if (config.role === 'all') await gate.start();
    return { origins, operatorLink, ...stopping };
  } catch (error) {
    for (const server of Object.values(servers)) server.cut();
    throw isOutage(error) ? errorOfPlace(error, config) : error;
  }
}

function demoSeedOf(config: Config, origin: string): Seed {
  return hasDemoPartner(config) ? demoSeed(origin, { isKept: isDurable(config) }) : { partners: [] };
}

/** Returns a function that closes the shop's connections. */
async function serveShop(
  server: DrainingServer,
  origins: Listeners['origins'],
  { config, seed, log }: { readonly config: Config; readonly seed: Seed; readonly log: Log },
): Promise<() => void> {
  const shop = await demoShop({
    origin: origins.demo,
    apiBaseUrl: origins.sandbox,
    checkoutUrl: origins.sandboxWidget,
    // Published keys are only for this machine.
    keys: hasDemoPartner(config) ? DEMO_KEYS : null,
    webhookSecrets: webhookSecretsOf(seed),
    onError: (error) => log.warn({ err: error }, 'Request to the demo shop failed'),
  });
  server.serve(ownHostsOnly(ownHostsOf(config), shop.listener));
  return () => shop.close();
}

/** The hosted checkout of one mode. It has its own origin, so that a partner's page cannot access it. */
function checkoutListener(
  { gate, sandboxOrigin, legPages }: Composition,
  {
    mode,
    apiOrigin,
    previewedBy,
    log,
  }: {
    readonly mode: Mode;
    readonly apiOrigin: string;
    readonly previewedBy: readonly string[];
    readonly log: Log;
  },
): RequestListener {
  return widgetListener({
    mode,
    apiOrigin,
    previewedBy,
    componentOrigins: [...new Set([sandboxOrigin, legPages?.origin ?? sandboxOrigin])],
    originsOf: (publishableKey) => gate.embed.allowedOrigins(mode, publishableKey),
    lookOf: (publishableKey) => gate.embed.look(mode, publishableKey),
    onError: (error) => log.error({ err: error }, 'Request to the checkout failed'),
  });
}

/** A process without API and shop: it processes the due work of other processes, and serves operators. */
async function startWorker(config: Config, log: Log): Promise<Server> {
  const { servers, origins } = await bindListeners(config, ['ops']);
  try {
    const composition = await compose(config, null, log);
    if (config.seed !== null)
      warnOfUnnamedKeys(log, config.seed, await applySeed(composition.gate, composition.store, config.seed));
    const stopping = serveOps({ server: servers.ops, own: ownHostsOf(config) }, composition, log, {
      first: [],
      last: [],
      delayMs: config.drainDelayMs,
    });
    await composition.gate.start();
    return { origins, operatorLink: async () => null, ...stopping };
  } catch (error) {
    servers.ops.cut();
    throw error;
  }
}

/** Removing a key from the file does not revoke it; this warns about such keys. */
function warnOfUnnamedKeys(log: Log, file: Config['seed'], unnamed: readonly ApiKey[]): void {
  if (file === null) return;
  for (const key of unnamed) {
    const fields = { partner_id: key.partnerId, key_id: keyId(key), key: `${key.prefix}…` };
    log.warn(
      fields,
      `An active key is not in GATE_SEED_FILE. If it was removed from the file, revoke it: gate keys revoke ${fields.key_id}`,
    );
  }
}

function ownHostsOf({ host, hostNames }: Config): OwnHosts {
  return { bound: host, names: hostNames };
}

/** A proxy passes on the name of the public origin. */
function consoleHostsOf({ host, hostNames, consoleUrl }: Config): OwnHosts {
  return { bound: host, names: consoleUrl === null ? hostNames : [...hostNames, new URL(consoleUrl).hostname] };
}

interface OpsServer {
  readonly server: DrainingServer;
  readonly own: OwnHosts;
}

interface DrainOrder {
  /** Together with the worker. */
  readonly first: readonly Pick<DrainingServer, 'drain'>[];
  readonly last: readonly Pick<DrainingServer, 'drain'>[];
  /** How long `/ready` is 503 before the ports close. */
  readonly delayMs: number;
}

/** Operators are served until the end: `/ready` tells them that no traffic may be sent here. */
function serveOps(
  { server: ops, own }: OpsServer,
  composition: Composition,
  log: Log,
  order: DrainOrder,
): Pick<Server, 'drain' | 'drainWorker'> {
  const { gate, adapters, sender, metrics } = composition;
  let isDraining = false;
  const { isClockTrusted, commitFailure, isHeld } = composition;
  const worker = workerControl(composition.worker, log);
  const parts = {
    isDraining: () => isDraining,
    operator: adapters.operator,
    isRedisDegraded: adapters.isRedisDegraded,
    commitFailure,
    isHeld,
    isClockTrusted,
    workerState: worker.state,
  };
  const listener = opsListener({
    readiness: () => readiness(parts),
    registry: metrics.registry,
    // A stopping process claims no more work, even if an operator resumes it.
    worker: { ...worker, resume: () => void (isDraining || worker.resume()) },
    onError: (error) => log.error({ err: error }, 'Request to the operators port failed'),
  });
  ops.serve(ownHostsOnly(own, listener));
  const stop = async () => {
    isDraining = true;
    if (order.delayMs > 0) await setTimeout(order.delayMs);
    const drain = async () => {
      await Promise.all([gate.stop(DRAIN_MAX_MS), ...order.first.map((server) => server.drain())]);
      await Promise.all([sender.close(), ...order.last.map((server) => server.drain())]);
      await ops.drain();
      await composition.close();
      return 'drained' as const;
    };
    return (await atMost(DRAIN_MAX_MS, drain())) ?? 'cut_short';
  };
  return { drain: stop, drainWorker: worker.drain };
}
