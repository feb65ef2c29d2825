import { Consumers } from '../application/deliveries/consumers.js';
import type { Engine } from '../application/engine.js';
import { InFlight } from '../application/idempotency/in-flight.js';
import { KeyUses } from '../application/keys/key-uses.js';
import { ProviderHealth } from '../application/providers/provider-health.js';
import type { OverdueWatch } from '../application/work/watchdogs.js';
import type { Mode } from '../domain/mode.js';
import { DEFAULT_POLICY, type Policy } from '../domain/policy.js';
import type { Crypto } from '../ports/crypto.js';
import type { AdjustableClock, Clock, Deadlines, Ids, KycVault, Telemetry, WebhookSender } from '../ports/edge.js';
import type { Partners } from '../ports/partners.js';
import type { PoolProvider } from '../ports/pool-provider.js';
import type { Provider } from '../ports/provider.js';
import type { RateLimits } from '../ports/rate-limits.js';
import type { SandboxControl } from '../ports/sandbox.js';
import type { Scheduler } from '../ports/scheduler.js';
import type { EngineStore, Store } from '../ports/store.js';
import {
  nodeCrypto,
  nodeIds,
  stderrTelemetry,
  systemClock,
  systemDeadlines,
  undiciWebhookSender,
} from '../runtime/index.js';
import { PARTNER_METHODS } from './checks/check-ports.js';

/** What a gate is made of. The gate neither opens nor closes what it is given, but for its own defaults. */
export interface GatePorts {
  readonly store: Store;
  /** Tenants of the host's own; by default the store holds them. */
  readonly partners?: Partners;
  readonly scheduler: Scheduler;
  readonly limits: RateLimits;
  /** Prices and attempts go to the best quote among those that serve the market; of equal quotes to the first in this order. */
  readonly providers: readonly Provider[];
  /** Prices and settles trades in pools; without one nothing is quoted. */
  readonly pools?: PoolProvider;
  /** Lets the test helpers play scenarios at a sandbox provider; without it they answer `corridor_not_supported`. */
  readonly sandbox?: SandboxControl;
  /** Where raw KYC packages go; without one no `kyc_package` is accepted. */
  readonly vault?: KycVault;
  /** 32 bytes. Without one a key is made for the life of the process: right for memory stores only. */
  readonly masterKey?: Uint8Array;
  /** Former master keys, which open what they sealed and seal nothing. */
  readonly oldMasterKeys?: readonly Uint8Array[];
  /** Origins of the hosted checkout pages. */
  readonly hosts?: Partial<Readonly<Record<Mode, { readonly widgetOrigin: string }>>>;
  /** Where clients reach the API, mount prefix included, such as `https://api.example/pay`. Then `doc_url` of errors is absolute. */
  readonly publicUrl?: string;
  readonly clock?: Clock;
  /** Makes the test-clock endpoints exist. Single process only. */
  readonly testClock?: AdjustableClock;
  /** Without one, alarms and failures are lines on stderr. */
  readonly telemetry?: Telemetry;
  readonly sender?: WebhookSender;
  readonly crypto?: Crypto;
  readonly ids?: Ids;
  readonly deadlines?: Deadlines;
  /** Lets webhooks go to loopback and private addresses. For development. */
  readonly allowPrivateWebhooks?: boolean;
}

/** The same over a store that keeps no partners, since the host has its own. */
export interface OwnTenantPorts extends Omit<GatePorts, 'store' | 'partners'> {
  readonly store: EngineStore;
  readonly partners: Partners;
}

/** The engine of a set of ports, defaults filled in. */
export function assemble(ports: GatePorts | OwnTenantPorts, policy: Partial<Policy>): Engine {
  const telemetry = ports.telemetry ?? stderrTelemetry();
  const partnerStore = keepsPartners(ports.store) ? ports.store : null;
  const partners = ports.partners ?? partnerStore;
  if (partners === null) throw new TypeError('The store keeps no partners, and no partners port was passed.');
  const whole: Policy = { ...DEFAULT_POLICY, ...policy };
  const clock = ports.testClock ?? ports.clock ?? systemClock();
  return {
    store: ports.store,
    partners,
    partnerStore,
    isWithinHost: false,
    providers: ports.providers,
    health: new ProviderHealth(clock, telemetry, whole),
    pools: ports.pools ?? noPools,
    sandbox: ports.sandbox ?? null,
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
    clock,
    deadlines: ports.deadlines ?? systemDeadlines(),
    ids: ports.ids ?? nodeIds(),
    telemetry,
    policy: whole,
    consumers: new Consumers(ports.store),
    inFlight: new InFlight(),
    keyUses: new KeyUses(partnerStore, telemetry),
  };
}

/** If the host has its own tenants, a store may keep no partners, and then lacks these methods. */
function keepsPartners(store: EngineStore): store is Store {
  return PARTNER_METHODS.every((method) => method in store);
}

/** A trusted partner without a vault is a mistake of configuration, and said to be one. */
const noVault: KycVault = {
  store: () => Promise.reject(new Error('A kyc_package was sent, but the gate was created without a vault.')),
  forget: () => Promise.resolve(),
  sweep: () => Promise.resolve(),
};

/** A trade that another process has begun waits for one that can settle it. */
const noPools: PoolProvider = {
  price: () =>
    Promise.resolve({ kind: 'refused', code: 'corridor_not_supported', message: 'No provider quotes this pool.' }),
  settle: () =>
    Promise.reject(new Error('A trade is to be settled, but the gate was created without a provider of pools.')),
};

/** Done once; a failure is not remembered, so the next caller tries again. */
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

/** Every commit that leaves something to do wakes the scheduler: the watch then checks whether any process works. */
export function watchedScheduler(scheduler: Scheduler, watch: OverdueWatch): Scheduler {
  return {
    wake: (hints) => {
      watch.look();
      scheduler.wake(hints);
    },
    start: (onDue) => scheduler.start(onDue),
    close: (graceMs) => scheduler.close(graceMs),
  };
}
