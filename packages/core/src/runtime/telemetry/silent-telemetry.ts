import type { Telemetry } from '../../ports/edge.js';

/** Drops all reports. For tests and for hosts that bring their own later. */
export function silentTelemetry(): Telemetry {
  return { alarm: ignore, failure: ignore, note: ignore };
}

function ignore(): void {}
