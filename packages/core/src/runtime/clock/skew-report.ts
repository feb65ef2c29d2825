import type { Telemetry } from '../../ports/edge.js';

/** Reports a large skew once, and again when it has changed by as much or has been small in between. */
export function skewReport(telemetry: Telemetry, alarmMs: number): (skew: number) => void {
  let reported = 0;
  return (skew) => {
    if (Math.abs(skew) <= alarmMs) reported = 0;
    if (Math.abs(skew - reported) <= alarmMs) return;
    reported = skew;
    telemetry.alarm('clock_skewed', { store_ahead_ms: Math.round(skew) });
  };
}
