import type { AuditedChange } from '../domain/audit.js';
import type { Delivery } from '../domain/webhook/delivery.js';
import type { Change } from '../ports/change.js';
import type { Telemetry } from '../ports/edge.js';

/** Callbacks of an extension for what this process has done. They cannot change it, and do not delay it. */
export interface Listener {
  /** After each commit, except in a transaction of the host, which may still be rolled back. */
  committed?(change: Change): void;
  /** After new entries of the audit trail, of commits and of what `gate.admin` saves. */
  audited?(entries: readonly AuditedChange[]): void;
  /** After an attempt, with the delivery's new state. */
  attempted?(delivery: Delivery): void;
}

interface Listened {
  readonly listeners: readonly Listener[];
  readonly telemetry: Telemetry;
}

/** Calls each listener. Errors are reported, and affect nothing else. */
export function notify({ listeners, telemetry }: Listened, call: (listener: Listener) => void): void {
  for (const listener of listeners) {
    try {
      call(listener);
    } catch (error) {
      telemetry.failure(error, { place: 'listener of an extension' });
    }
  }
}
