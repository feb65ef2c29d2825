import { Consumers } from '../application/deliveries/consumers.js';
import { type Engine, InFlight } from '../application/engine.js';
import { KeyUses } from '../application/keys/key-uses.js';
import type { Listener } from '../application/listeners.js';
import { ProviderHealth } from '../application/providers/provider-health.js';
import { newTrace } from '../application/tracing.js';
import type { OverdueWatch } from '../application/work/watchdogs.js';
import type { Mode } from '../domain/mode.js';
import { DEFAULT_POLICY, type Policy } from '../domain/policy.js';
import type { Crypto } from '../ports/crypto.js';
import type {
  AdjustableClock,
  Clock,
  Deadlines,
  Ids,
  KycVault,
  RateLimits,
  Scheduler,
  Telemetry,
  Tracer,
  WebhookSender,
} from '../ports/edge.js';
import type { Partners } from '../ports/partners.js';
import type { Provider } from '../ports/provider.js';
import type { EngineStore, OperatorReads, Store } from '../ports/store.js';
import {
  nodeCrypto,
  nodeIds,
  sandboxClocks,
  stderrTelemetry,
  systemClock,
  systemDeadlines,
  undiciWebhookSender,
} from '../runtime/index.js';
import { systemTimers, unref } from '../runtime/scheduling/timers.js';
import { PARTNER_METHODS } from './checks/check-ports.js';
import type { Extension } from './extension.js';

/** The ports of a gate. The gate opens and closes only its own defaults, never the ports passed to it. */
export interface GatePorts {
  readonly store: Store;
  /** Products and tools outside the engine, such as `pools(provider)` of `@gateramp/extensions/pools`. */
  readonly extensions?: readonly Extension[];
  /** The host's own partners; by default the store manages them. */
  readonly partners?: Partners;
  /** What `gate.admin` shows to operators of all partners; without it, it shows one partner at a time. */
  readonly operator?: OperatorReads;
  readonly scheduler: Scheduler;
  readonly limits: RateLimits;
  /** Quotes and attempts go to the provider with the best quote for the market; equal quotes go to the first in this order. */
  readonly providers: readonly Provider[];
  /** Stores raw KYC packages; without it no `kyc_package` is accepted. */
  readonly vault?: KycVault;
  /** 32 bytes. Without it a key is generated for the lifetime of the process, which is suitable for memory stores only. */
  readonly masterKey?: Uint8Array;
  /** Former master keys. They decrypt what they encrypted and encrypt nothing new. */
  readonly oldMasterKeys?: readonly Uint8Array[];
  /**
   * Origins of the hosted checkout pages, the only ones from which cards are taken. Without an origin, a mode takes test cards only.
   */
  readonly hosts?: Partial<Readonly<Record<Mode, { readonly widgetOrigin: string }>>>;
  /**
   * The API's base URL for clients, including the mount prefix, such as `https://api.example/pay`. Makes the `doc_url` of errors absolute.
   */
  readonly publicUrl?: string;
  readonly clock?: Clock;
  /**
   * A clock that `sandbox()` of `@gateramp/extensions/sandbox` advances. `policy.testClock` says whether an advance moves one sandbox or
   * all. Several processes can share only the clocks of sandboxes, and only in a store with `sandboxHolds`; all of them then pass it.
   */
  readonly testClock?: AdjustableClock;
  /** By default, alarms and failures are written to stderr. */
  readonly telemetry?: Telemetry;
  /** Records traces; without it there are none, and `traceparent` headers are ignored. */
  readonly tracer?: Tracer;
  readonly sender?: WebhookSender;
  readonly crypto?: Crypto;
  readonly ids?: Ids;
  readonly deadlines?: Deadlines;
  /** Allows webhooks to loopback and private addresses, for development. */
  readonly allowPrivateWebhooks?: boolean;
}

/** The same ports with a store that manages no partners, because the host has its own. */
export interface OwnTenantPorts extends Omit<GatePorts, 'store' | 'partners'> {
  readonly store: EngineStore;
  readonly partners: Partners;
}

/** Builds the engine from its ports, with defaults filled in. */
export function assemble(
  ports: GatePorts | OwnTenantPorts,
  policy: Partial<Policy>,
  listeners: readonly Listener[] = [],
): Engine {
  const telemetry = ports.telemetry ?? stderrTelemetry();
  const partnerStore = keepsPartners(ports.store) ? ports.store : null;
  const partners = ports.partners ?? partnerStore;
  if (partners === null)
    throw new TypeError('The store does not keep partners. Pass the port `partners` to createGate.');
  const whole: Policy = { ...DEFAULT_POLICY, ...policy };
  const clock = ports.testClock ?? ports.clock ?? systemClock();
  const stepsSandboxes = ports.testClock !== undefined && whole.testClock === 'partner';
  const holds = (stepsSandboxes ? ports.store.sandboxHolds : null) ?? null;
  return {
    store: ports.store,
    partners,
    partnerStore,
    operator: ports.operator ?? null,
    isWithinHost: false,
    providers: ports.providers,
    health: new ProviderHealth(clock, telemetry, whole),
    tasks: Object.assign({}, ...(ports.extensions ?? []).map(({ tasks }) => tasks)) as Engine['tasks'],
    access: (ports.extensions ?? []).flatMap((one) => one.access ?? []),
    scheduler: ports.scheduler,
    limits: ports.limits,
    vault: ports.vault ?? noVault,
    sender:
      ports.sender ??
      undiciWebhookSender({
        allowPrivate: ports.allowPrivateWebhooks ?? false,
        attemptsInFlightMax: whole.attemptsInFlightMax,
      }),
    crypto:
      ports.crypto ?? nodeCrypto({ masterKey: ports.masterKey ?? null, oldMasterKeys: ports.oldMasterKeys ?? [] }),
    clock: sandboxClocks(clock, ports.store, {
      mayMove: ports.testClock !== undefined,
      isShared: holds !== null,
      onError: (error) => telemetry.failure(error, { place: 'sandbox clocks' }),
    }),
    stepsSandboxes,
    holds,
    deadlines: ports.deadlines ?? systemDeadlines(),
    ids: ports.ids ?? nodeIds(),
    telemetry,
    trace: ports.tracer === undefined ? null : newTrace(ports.tracer, telemetry),
    policy: whole,
    consumers: new Consumers(ports.store),
    inFlight: new InFlight(),
    keyUses: new KeyUses(partnerStore, telemetry),
    listeners,
  };
}

/** Calls back after a delay, without keeping the process alive. Returns a function that cancels it. */
export function later(run: () => void, delayMs: number): () => void {
  const timer = systemTimers.setTimeout(run, delayMs);
  unref(timer);
  return () => systemTimers.clearTimeout(timer);
}

/** A store may lack the partner methods if the host manages its own partners. */
function keepsPartners(store: EngineStore): store is Store {
  return PARTNER_METHODS.every((method) => method in store);
}

/** A trusted partner without a vault is a configuration error and is reported as one. */
const noVault: KycVault = {
  store: () => Promise.reject(new Error('A kyc_package was sent, but the gate was created without a vault.')),
  forget: () => Promise.resolve(),
  sweep: () => Promise.resolve(),
};

/** Runs `work` once. Failures are not cached, so the next call tries again. */
export function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | null = null;
  return () => {
    done ??= work().catch((error: unknown) => {
      done = null;
      throw error;
    });
    return done;
  };
}

/** Commits with follow-up work wake the scheduler; on each, the watch checks whether any process works. */
export function watchedScheduler(scheduler: Scheduler, watch: OverdueWatch): Scheduler {
  return {
    wake: (hints) => {
      watch.check();
      scheduler.wake(hints);
    },
    start: (onDue) => scheduler.start(onDue),
    close: (graceMs) => scheduler.close(graceMs),
  };
}
