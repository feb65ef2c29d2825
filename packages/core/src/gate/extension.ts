import type { Engine, RecordedAccess, RunTask } from '../application/engine.js';
import type { Listener } from '../application/listeners.js';
import type { SteppedWork } from '../application/work/worker.js';
import type { AuditContext } from '../domain/audit.js';
import type { Scope } from '../domain/mode.js';
import type { AnyEndpoint } from '../http/endpoint.js';
import type { GateHost } from '../http/fetch.js';
import type { Routes } from '../http/endpoints.js';
import type { Host } from '../http/hosts.js';
import type { Page } from '../http/page.js';
import type { Contracted } from '../ports/contract.js';
import type { AdjustableClock } from '../ports/edge.js';
import type { Bound, CallTable } from './in-process.js';

/**
 * A product or tool outside the engine: what it serves, runs, and adds to the gate. The engine knows none by name.
 * Rows are documents of its own nouns, and all its changes go through `apply` and `execute`.
 */
export interface Extension<
  Calls extends CallTable = CallTable,
  Admin extends object = object,
  Face extends object = object,
> extends Contracted {
  /** Unique among the extensions of a gate. */
  readonly name: string;
  /** Served with the endpoints of the engine, by the same checks. */
  readonly endpoints?: readonly AnyEndpoint[];
  /** Hosts of its own, for endpoints that no host of the checkout has. */
  readonly hosts?: readonly Host[];
  /** Static pages of every host. `routes` is what the whole gate serves, in the order of its table. */
  readonly pages?: (routes: Routes) => readonly Page[];
  /** What runs tasks, by their kind. A task waits while no process has the extension. */
  readonly tasks?: Readonly<Record<string, RunTask>>;
  /** Its endpoints as calls in process, by their names on the gate and on `gate.as(…)`. */
  readonly calls?: Calls;
  /** Opens its part of a gate, once for each. */
  readonly open?: (context: OpenContext) => OpenExtension<Admin, Face>;
  /** What it stores that lets someone in. */
  readonly access?: RecordedAccess;
  /** Finds its objects by an id or a hash on chain, for extensions that look things up. */
  readonly lookup?: ExtensionLookup;
}

/** An extension's part of one gate. */
export interface OpenExtension<Admin extends object = object, Face extends object = object> {
  /** What it adds to `gate.admin`, and for other actors to `gate.admin.as(…)`. */
  readonly admin?: (context: ExtensionContext) => Admin;
  /** What it adds to the gate itself. */
  readonly face?: Face;
  /** Called for what happens in this process. */
  readonly listeners?: readonly Listener[];
}

/** What an extension's calls of `gate.admin` work with. */
export interface ExtensionContext {
  readonly engine: Engine;
  /** Those of the gate, this one included. */
  readonly extensions: readonly Extension[];
  /** Resolves once secrets can be read and written. To be awaited before the first change. */
  readonly ready: () => Promise<void>;
  /** Who the audit trail names. */
  readonly by: AuditContext;
}

/** What an extension's part of a gate works with. */
export interface OpenContext extends Pick<ExtensionContext, 'engine' | 'ready'> {
  /** Runs work while a clock is stepped. */
  readonly worker: SteppedWork;
  /** The clock that may be advanced, if the host passed one. */
  readonly testClock: AdjustableClock | null;
  /** Serves a host of the extension. */
  readonly hostOf: (host: Host) => GateHost;
}

/** Looks in one partner's objects of one mode. */
export interface ExtensionLookup {
  readonly find: (engine: Engine, scope: Scope, id: string) => Promise<FoundObject | null>;
  readonly findByTxHash: (engine: Engine, scope: Scope, txHash: string) => Promise<readonly FoundObject[]>;
}

/** An object of an extension. */
export interface FoundObject {
  /** Such as `pool_trade`. */
  readonly kind: string;
  readonly id: string;
  /** Its resource, as the API shows it. */
  readonly resource: Readonly<Record<string, unknown>>;
}

/** The calls in process that extensions add. */
export type CallsOf<Extensions> = Extensions extends readonly [Extension<infer Calls>, ...infer Rest]
  ? Bound<Calls> & CallsOf<Rest>
  : unknown;

/** What extensions add to `gate.admin`. */
export type AdminOf<Extensions> = Extensions extends readonly [Extension<CallTable, infer Admin>, ...infer Rest]
  ? Admin & AdminOf<Rest>
  : unknown;

/** What extensions add to the gate itself. */
export type FaceOf<Extensions> = Extensions extends readonly [Extension<CallTable, object, infer Face>, ...infer Rest]
  ? Face & FaceOf<Rest>
  : unknown;
