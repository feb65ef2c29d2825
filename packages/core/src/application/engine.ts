import type { Policy } from '../domain/policy.js';
import type { Crypto } from '../ports/crypto.js';
import type { Clock, Deadlines, Ids, KycVault, Telemetry, WebhookSender } from '../ports/edge.js';
import type { PoolProvider } from '../ports/pool-provider.js';
import type { Provider } from '../ports/provider.js';
import type { RateLimits } from '../ports/rate-limits.js';
import type { SandboxControl } from '../ports/sandbox.js';
import type { Scheduler } from '../ports/scheduler.js';
import type { Partners, PartnerStore } from '../ports/partners.js';
import type { EngineStore } from '../ports/store.js';
import type { Consumers } from './deliveries/consumers.js';
import type { InFlight } from './idempotency/in-flight.js';
import type { KeyUses } from './keys/key-uses.js';
import type { ProviderHealth } from './providers/provider-health.js';

/** Everything a use case may touch: the ports, the policy, and what this process remembers. */
export interface Engine {
  readonly store: EngineStore;
  /** The store itself, or the read side of a host that has its own tenants. */
  readonly partners: Partners;
  /** The store once more, where it keeps partners: what `gate.admin` writes to. */
  readonly partnerStore: PartnerStore | null;
  /** The store is a transaction of the host's, which may yet be rolled back: nothing outside of it may follow from a commit. */
  readonly isWithinHost: boolean;
  readonly providers: readonly Provider[];
  /** The error budgets of the providers, in this process. */
  readonly health: ProviderHealth;
  readonly pools: PoolProvider;
  /** Moves operations of a sandbox provider for the test helpers; null where a host has composed none. */
  readonly sandbox: SandboxControl | null;
  readonly scheduler: Scheduler;
  readonly limits: RateLimits;
  readonly vault: KycVault;
  readonly sender: WebhookSender;
  readonly crypto: Crypto;
  readonly clock: Clock;
  readonly deadlines: Deadlines;
  readonly ids: Ids;
  readonly telemetry: Telemetry;
  readonly policy: Policy;
  readonly consumers: Consumers;
  readonly inFlight: InFlight;
  readonly keyUses: KeyUses;
}
