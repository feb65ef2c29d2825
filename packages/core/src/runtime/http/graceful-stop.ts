import type { Server } from 'node:http';
import type { RequestRefusalCode } from '../../domain/error-code.js';
import type { Mode } from '../../domain/mode.js';
import { atMost } from '../scheduling/timers.js';
import type { RefuseUnread } from './client-error-answerer.js';
import { ServerDrain } from './server-drain.js';

/** Twelve seconds for requests and attempts, three to close. */
const LIMIT_MS = 15_000;

const CLOSING_SHARE = 1 / 5;

/** What `gracefulStop` needs of a gate. */
interface StoppableGate {
  drain(): Promise<void>;
  stop(graceMs?: number): Promise<void>;
  handle(mode: Mode, request: UnreadRequest): ReturnType<RefuseUnread>;
}

/** An `HttpRequest` that is refused unread. */
interface UnreadRequest {
  readonly method: string;
  readonly path: string;
  readonly prefix: null;
  readonly query: string;
  readonly headers: Readonly<Record<string, never>>;
  readonly body: { readonly kind: 'bytes'; readonly bytes: Uint8Array };
  readonly clientIp: string;
  readonly refusedAs: RequestRefusalCode;
}

/** What is stopped, how late requests are refused, and the time for it. */
export interface GracefulStopOptions {
  /** Servers of `node:http` or `node:https`: what Express's `app.listen` returns, or Fastify's `app.server`. */
  readonly servers: readonly Server[];
  readonly gate: StoppableGate;
  /** The mode by which the gate refuses late requests. */
  readonly mode: Mode;
  /** Called one after the other when the gate has stopped, also if one fails: `[() => database.end()]`. */
  readonly close?: readonly (() => unknown)[];
  /** The time for everything, in milliseconds. Default 15,000, of which the last fifth is kept for `gate.stop` and `close`. */
  readonly limitMs?: number;
}

/**
 * Returns a function that stops servers, gate and the host's own clients, in this order. Call `gracefulStop` before the servers listen, and
 * the function at SIGTERM: connections are no longer accepted, idle ones are closed, running requests and attempts are waited for, and
 * later requests on open connections are refused with 503 `service_unavailable`. What still runs after four fifths of the limit is cut.
 *
 * Repeated calls return the same promise. It settles within the limit, and rejects with an `AggregateError` of everything that failed or
 * was cut, once the rest has been closed.
 */
export function gracefulStop(options: GracefulStopOptions): () => Promise<void> {
  const { servers, gate, mode } = options;
  const refuse: RefuseUnread = (refusedAs, clientIp) => gate.handle(mode, unread(refusedAs, clientIp));
  const drains = servers.map((server) => new ServerDrain(server, refuse));
  let stopped: Promise<void> | null = null;
  return () => {
    stopped ??= stop(drains, options);
    return stopped;
  };
}

async function stop(
  drains: readonly ServerDrain[],
  { gate, close = [], limitMs = LIMIT_MS }: GracefulStopOptions,
): Promise<void> {
  const deadline = performance.now() + limitMs;
  const errors: unknown[] = [];
  const run = async (maxMs: number, step: () => unknown, late: () => string): Promise<void> => {
    try {
      const done = Promise.resolve(step()).then(() => true);
      if ((await atMost(maxMs, done)) === null) errors.push(new Error(late()));
    } catch (error) {
      errors.push(error);
    }
  };

  const waitMs = limitMs * (1 - CLOSING_SHARE);
  await Promise.all([
    ...drains.map((one) =>
      run(
        waitMs,
        () => one.drain(),
        () => `Requests cut while running: ${one.running}.`,
      ),
    ),
    run(
      waitMs,
      () => gate.drain(),
      () => 'Attempts were still running; they are repeated when their leases end.',
    ),
  ]);
  for (const one of drains) one.cut();

  const steps = [() => gate.stop(limitMs * CLOSING_SHARE), ...close];
  for (const [nth, step] of steps.entries()) {
    const shareMs = (deadline - performance.now()) / (steps.length - nth);
    const name = nth === 0 ? 'gate.stop()' : `close[${nth - 1}]`;
    await run(shareMs, step, () => `${name} did not end in time.`);
  }
  if (errors.length > 0) throw new AggregateError(errors, 'The stop was not graceful.');
}

function unread(refusedAs: RequestRefusalCode, clientIp: string): UnreadRequest {
  const body = { kind: 'bytes', bytes: new Uint8Array(0) } as const;
  return { method: '', path: '', prefix: null, query: '', headers: {}, body, clientIp, refusedAs };
}
