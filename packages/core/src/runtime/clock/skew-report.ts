import type { Telemetry } from '../../ports/edge.js';

/** Tells of a large skew once, and again when it has changed by as much or has been small in between. */
export function skewReport(telemetry: Telemetry, alarmMs: number): (skew: number) => void {
  let told = 0;
  return (skew) => {
    if (Math.abs(skew) <= alarmMs) told = 0;
    if (Math.abs(skew - told) <= alarmMs) return;
    told = skew;
    telemetry.alarm('clock_skewed', { store_ahead_ms: Math.round(skew) });
  };
}
