import type { Telemetry } from '@gateramp/core/ports';
import type { Log } from './log.js';

/** What the engine reports to operators, as log lines. Fields are plain values the engine has kept secrets out of. */
export function logTelemetry(log: Log): Telemetry {
  return {
    alarm: (name, fields) => log.error({ alarm: name, ...fields }, `Alarm: ${name}`),
    failure: (error, fields) => log.error({ err: error, ...fields }, 'Failure'),
    note: (name, fields) => log.info(fields, name),
  };
}
