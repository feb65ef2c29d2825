import type { Result } from 'neverthrow';
import type { Consumer } from '../application/deliveries/consumers.js';
import type { Engine } from '../application/engine.js';
import { type ReportResult, reportOutcome } from '../application/providers/accept-callback.js';
import type { Listener } from '../application/listeners.js';
import { OverdueWatch } from '../application/work/watchdogs.js';
import { Worker } from '../application/work/worker.js';
import type { Mode } from '../domain/mode.js';
import type { Policy } from '../domain/policy.js';
import type { Refusal } from '../domain/refusal.js';
import type { EventType } from '../domain/webhook/event-types.js';
import { gateHost, type GateHost } from '../http/fetch.js';
import type { HttpHost } from '../http/endpoint.js';
import { createHandler } from '../http/handler.js';
import { routesOf } from '../http/endpoints.js';
import { CHECKOUT, type Host } from '../http/hosts.js';
import type { HttpRequest, HttpResponse } from '../http/message.js';
import type { ProviderReport } from '../ports/provider.js';
import type { Scheduler } from '../ports/edge.js';
import type { Store } from '../ports/store.js';
import { gateClock, type GateClock } from '../runtime/clock/clocks.js';
import { systemTimers } from '../runtime/scheduling/timers.js';
import { administration, type Administration } from './admin/administration.js';
import { assemble, type GatePorts, later, once, type OwnTenantPorts, watchedScheduler } from './assemble.js';
import type { Actor } from '../domain/audit.js';
import { type Embed, inProcessEmbed } from './embed.js';
import { type CallTable, CALLS, inProcess, type InProcess, refundCall } from './in-process.js';
import { actorProblems, consumerProblems } from './checks/check-administration.js';
import { withAdded } from './checks/check-extensions.js';
import { policyProblems } from './checks/check-policy.js';
import { portProblems } from './checks/check-ports.js';
import { throwIfAny } from './checks/argument-error.js';
import type { AdminOf, CallsOf, Extension, FaceOf } from './extension.js';
import { workOf, type Work } from './work.js';

/** The assembled engine, which HTTP adapters mount and hosts call, with what its extensions add. */
export type Gate<Calls = unknown, Admin = unknown> = EngineGate<Calls, Admin> & InProcess & Calls;

/** A gate with these extensions, such as `GateWith<[typeof poolsExtension]>`. */
export type GateWith<Extensions extends readonly Extension[]> = Gate<CallsOf<Extensions>, AdminOf<Extensions>> &
  FaceOf<Extensions>;

interface EngineGate<Calls, Admin> extends GateHost, Work {
  readonly embed: Embed;
  readonly admin: Administration<Admin> & Admin;
  readonly intents: {
    /** Reports a provider update in process; counted once per provider and event id. */
    report(
      mode: Mode,
      provider: string,
      report: ProviderReport,
    ): Promise<Result<ReportResult, Refusal<'intent_not_found'>>>;
  };
  /**
   * Session calls over other ports, which take part in a transaction of the host (`withTransaction` of the Postgres store). Results are
   * valid only once the host has committed. The vault is not notified of a session cancelled this way; it deletes the package at its
   * `forgetBy`.
   */
  over(ports: { readonly store: Store; readonly scheduler: Scheduler }): Pick<InProcess, 'sessions'>;
  /**
   * The in-process calls by an actor other than the host, whom the audit trail then names:
   * `gate.as({ type: 'operator', id: 'ada@example.com' }).webhooks.rotateSecret(caller)`.
   */
  as(actor: Actor, why?: { readonly reason?: string; readonly requestId?: string }): InProcess & Calls;
  readonly clock: GateClock;
  /**
   * Registers a durable consumer: called at least once per event and name, with the retries of webhooks. The name is stored by `start` or
   * by this process's first commit. From then on every process writes deliveries for it, and processes with its function run them.
   */
  on<Type extends EventType>(type: Type, name: string, consumer: Consumer<Type>): void;
}

/**
 * Creates a gate. It reads no environment variables and uses no resources before the first call. Throws a `GateArgumentError` that lists
 * all problems.
 */
export function createGate<const Extensions extends readonly Extension[] = readonly []>(
  ports: (GatePorts | OwnTenantPorts) & { readonly extensions?: Extensions },
  policy: Partial<Policy> = {},
): GateWith<Extensions> {
  throwIfAny('createGate received invalid arguments', portProblems(ports, policy), policyProblems(policy));
  const extensions: readonly Extension[] = ports.extensions ?? [];
  // Filled once the extensions are opened, which takes an engine.
  const listeners: Listener[] = [];
  const assembled = assemble(ports, policy, listeners);
  const watch = new OverdueWatch(assembled, later);
  const engine: Engine = { ...assembled, scheduler: watchedScheduler(assembled.scheduler, watch) };
  const worker = new Worker(engine, () => watch.end());
  const ready = once(async () => {
    await Promise.all([engine.crypto.open(engine.store), engine.clock.refresh()]);
  });
  const testClock = ports.testClock ?? null;
  const httpHost: HttpHost = {
    engine,
    worker,
    ready,
    timing: { later, now: () => systemTimers.now() },
    testClock,
    publicUrl: ports.publicUrl?.replace(/\/$/, '') ?? null,
    widgetOrigins: {
      test: ports.hosts?.test?.widgetOrigin ?? null,
      live: ports.hosts?.live?.widgetOrigin ?? null,
    },
  };
  const routes = routesOf(extensions);
  const pages = extensions.flatMap((one) => one.pages?.(routes) ?? []);
  const handler = createHandler(httpHost, routes, pages);
  const handleOn = (host: Host, request: HttpRequest): Promise<HttpResponse> => {
    watch.check();
    return handler(host, request);
  };
  const added: CallTable = Object.assign({}, ...extensions.map(({ calls }) => calls)) as CallTable;
  const calls: CallTable = { ...CALLS, ...added };
  const hostOf = (host: Host): GateHost =>
    gateHost(engine.policy, (_, request) => handleOn(host, request), [host.mode]);
  const opened = extensions.map((one) => one.open?.({ engine, ready, hostOf, worker, testClock }) ?? {});
  listeners.push(...opened.flatMap((one) => one.listeners ?? []));
  const gate: Gate = {
    ...gateHost(engine.policy, (mode, request) => handleOn(CHECKOUT[mode], request)),
    ...inProcess(httpHost, CALLS),
    embed: inProcessEmbed(engine),
    admin: administration({
      engine,
      extensions,
      opened,
      ready,
      refundCall: (by) => refundCall(httpHost, by),
    }),
    intents: { report: (mode, provider, report) => reportOutcome(engine, mode, provider, report) },
    over: (hostPorts) => ({
      sessions: inProcess({ ...httpHost, engine: engineOver(engine, hostPorts) }, CALLS).sessions,
    }),
    as: (actor, why = {}) => {
      throwIfAny('gate.as received invalid arguments', actorProblems(actor, why));
      const { reason = null, requestId = null } = why;
      return inProcess(httpHost, calls, { actor, reason, requestId }) as InProcess;
    },
    clock: gateClock(engine.clock, engine.holds !== null),
    on: (type, name, consumer) => {
      throwIfAny('gate.on received invalid arguments', consumerProblems({ type, name, consumer }));
      engine.consumers.add(type, name, consumer);
    },
    ...workOf({
      engine,
      worker,
      watch,
      ready,
      ownsSender: ports.sender === undefined,
    }),
  };
  // The types of what extensions add are derived from the extensions themselves.
  return withAdded('member of the gate', gate, [
    inProcess(httpHost, added),
    ...opened.map(({ face }) => face),
  ]) as GateWith<Extensions>;
}

/** The engine on the host's ports. The host's own partners stay; partners of the store are read in the same transaction. */
function engineOver(engine: Engine, { store, scheduler }: Pick<GatePorts, 'store' | 'scheduler'>): Engine {
  const partners = engine.partners === engine.partnerStore ? store : engine.partners;
  return {
    ...engine,
    store,
    partnerStore: store,
    scheduler,
    partners,
    consumers: engine.consumers.readBy(store),
    isWithinHost: true,
  };
}
