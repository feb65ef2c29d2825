import type { AuditTarget } from '../domain/audit.js';
import type { Policy } from '../domain/policy.js';
import type { Task } from '../domain/task.js';
import type { IdempotencyRef } from '../ports/change.js';
import type { Crypto } from '../ports/crypto.js';
import type {
  Clocks,
  Deadlines,
  Ids,
  KycVault,
  RateLimits,
  Scheduler,
  Span,
  SpanStart,
  Telemetry,
  TraceContext,
  WebhookSender,
} from '../ports/edge.js';
import type { Provider } from '../ports/provider.js';
import type { Partners, PartnerStore } from '../ports/partners.js';
import type { EngineStore, OperatorReads, SandboxHolds } from '../ports/store.js';
import type { Consumers } from './deliveries/consumers.js';
import type { KeyUses } from './keys/key-uses.js';
import type { Listener } from './listeners.js';
import type { ProviderHealth } from './providers/provider-health.js';

/** The dependencies of use cases: the ports, the policy, and the state of this process. */
export interface Engine {
  readonly store: EngineStore;
  /** The store, or the host's own read side for partners. */
  readonly partners: Partners;
  /** The store, if it manages partners: what `gate.admin` writes to. Null otherwise. */
  readonly partnerStore: PartnerStore | null;
  /** What operators read of all partners; null if the host passed none. */
  readonly operator: OperatorReads | null;
  /** The store is a transaction of the host, which may still be rolled back, so a commit must have no effects outside of it. */
  readonly isWithinHost: boolean;
  readonly providers: readonly Provider[];
  /** The providers' error budgets in this process. */
  readonly health: ProviderHealth;
  /** What runs the tasks of extensions, by their kind. */
  readonly tasks: Readonly<Record<string, RunTask>>;
  /** What extensions store that lets someone in. */
  readonly access: readonly RecordedAccess[];
  readonly scheduler: Scheduler;
  readonly limits: RateLimits;
  readonly vault: KycVault;
  readonly sender: WebhookSender;
  readonly crypto: Crypto;
  readonly clock: Clocks;
  /** Whether sandboxes may be stepped one by one, by this process or another. */
  readonly stepsSandboxes: boolean;
  /** Of sandboxes that are stepped while other processes work; null without a test clock, or if the store is of one process. */
  readonly holds: SandboxHolds | null;
  readonly deadlines: Deadlines;
  readonly ids: Ids;
  readonly telemetry: Telemetry;
  /** The span that this work belongs to; null without a tracer. */
  readonly trace: Trace | null;
  readonly policy: Policy;
  readonly consumers: Consumers;
  readonly inFlight: InFlight;
  readonly keyUses: KeyUses;
  /** Of extensions. */
  readonly listeners: readonly Listener[];
}

/** Runs a leased task to its end, or reschedules it. Safe to run again from the start. */
export type RunTask = (engine: Engine, task: Task) => Promise<void>;

/** A kind of rows that let someone in. The audit trail must contain the entry of each one's creation. */
export interface RecordedAccess {
  /** The actions that create one, by the type of their target. */
  readonly creations: Readonly<Record<string, readonly string[]>>;
  /** Those that are stored: of a partner, or of none. */
  readonly stored: (engine: Engine, partnerId: string | null) => Promise<readonly AuditTarget[]>;
}

/** The span that work belongs to. */
export interface Trace {
  /** Reports errors of the tracer, and returns null for a span that could not be started. */
  readonly start: (span: SpanStart) => Span | null;
  /** The host's current span; null if there is none. */
  readonly hostSpan: () => TraceContext | null;
  /** The context of the span; null outside of any. */
  readonly current: TraceContext | null;
  /** Whether spans are started within it. */
  readonly isRecorded: boolean;
}

/** Keys that this process is working on, so that overlapping requests reliably get a 409. The hash covers the scope. */
export class InFlight {
  private readonly keys = new Set<string>();

  /** Returns false if the key is already in use. */
  enter(ref: IdempotencyRef): boolean {
    if (this.keys.has(ref.keyHash)) return false;
    this.keys.add(ref.keyHash);
    return true;
  }

  leave(ref: IdempotencyRef): void {
    this.keys.delete(ref.keyHash);
  }
}
