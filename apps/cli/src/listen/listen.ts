import { NotFoundError, type Gate, type GateError, type GateEvent } from '@gateramp/sdk-node';
import { forward, type Forwarding } from './forward.js';

interface ListenOptions extends Forwarding {
  readonly gate: Gate;
  /** The id of the last processed event; null starts with the first event. */
  readonly after: string | null;
  /** The event types to forward; null for all. Other events count as forwarded. */
  readonly types: readonly string[] | null;
  readonly intervalMs: number;
  /** Called with the id of each processed event, before the next one starts. */
  readonly keep: (after: string) => void;
  /** Called with an error when the service becomes unreachable, and with null when it is reachable again. */
  readonly onAway: (error: GateError | null) => void;
  /** Called when the service has lost its data, so that all of its events are new. */
  readonly onDataLost: () => void;
}

/**
 * Follows the list of events until the signal aborts: forwards every event in order until it is acknowledged, and none twice
 * unless the process is killed in between.
 */
export async function listen(options: ListenOptions): Promise<void> {
  const { gate, signal, keep, intervalMs, onAway } = options;
  let { after } = options;
  while (!signal.aborted) {
    try {
      for await (const event of gate.events.follow({ after, intervalMs, signal, onAway })) {
        if (isWanted(event, options) && !(await forward(event, options))) return;
        after = event.id;
        keep(after);
      }
    } catch (error) {
      if (!(error instanceof NotFoundError && error.code === 'event_not_found')) throw error;
      options.onDataLost();
      after = null;
    }
  }
}

const isWanted = ({ type }: GateEvent, { types }: ListenOptions): boolean => types === null || types.includes(type);
