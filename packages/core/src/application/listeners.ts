import type { AuditedChange } from '../domain/audit.js';
import type { Mode } from '../domain/mode.js';
import type { Refusal } from '../domain/refusal.js';
import type { Delivery } from '../domain/webhook/delivery.js';
import type { Change } from '../ports/change.js';
import type { Telemetry } from '../ports/edge.js';

/** Callbacks of an extension for what this process has done. They cannot change it. A promise that one returns is not awaited. */
export interface Listener {
  /** After each commit, except in a transaction of the host, which may still be rolled back. */
  committed?(change: Change): void;
  /** After new entries of the audit trail, of commits and of what `gate.admin` saves. */
  audited?(entries: readonly AuditedChange[]): void;
  /** After an attempt, with the delivery's new state. */
  attempted?(delivery: Delivery): void;
  /** After a request was answered with an error over HTTP. */
  refused?(request: RequestInfo, refusal: Refusal, status: number): void;
  /** Stores what it has collected. `stop` of the gate waits for it. */
  flush?(): Promise<void>;
}

/** What a request is known by; partner, endpoint and object are null if it was refused before they were known. */
export interface RequestInfo {
  readonly requestId: string;
  readonly mode: Mode;
  readonly partner: { readonly id: string } | null;
  readonly endpoint: { readonly method: string; readonly path: string } | null;
  /** The session, transaction or other object that its path names. */
  readonly objectId: string | null;
}

interface Listened {
  readonly listeners: readonly Listener[];
  readonly telemetry: Telemetry;
}

/** Calls each listener. Errors are reported, and affect nothing else; a rejected promise would otherwise end the process. */
export function notify({ listeners, telemetry }: Listened, call: (listener: Listener) => unknown): void {
  const report = (error: unknown): void => telemetry.failure(error, { place: 'listener of an extension' });
  for (const listener of listeners) {
    try {
      const returned = call(listener);
      if (returned instanceof Promise) returned.catch(report);
    } catch (error) {
      report(error);
    }
  }
}

/** Waits until each listener has stored what it collected. Errors are reported. */
export async function flush({ listeners, telemetry }: Listened): Promise<void> {
  const flushed = await Promise.allSettled(listeners.map(async (one) => one.flush?.()));
  for (const one of flushed)
    if (one.status === 'rejected') telemetry.failure(one.reason, { place: 'listener of an extension' });
}
