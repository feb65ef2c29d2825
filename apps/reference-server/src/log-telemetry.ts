import { isOutage, type Telemetry } from '@gateramp/core/ports';
import { alarmLine } from './monitoring/alarms.js';
import type { Log } from './log.js';
import { outageLines, type OutageTimers } from './outage-lines.js';

/** Writes the engine's telemetry to the log. Its fields are plain values without secrets. */
export function logTelemetry(log: Log, timers?: OutageTimers): Telemetry {
  const outage = outageLines(
    {
      began: (error, fields) => log.error({ err: error, ...fields }, 'Outage'),
      over: (fields) => log.warn(fields, 'Outage over'),
    },
    timers,
  );
  return {
    alarm: (name, fields) => log.error({ alarm: name, ...fields }, alarmLine(name)),
    failure: (error, fields) => {
      if (isOutage(error)) outage(error, fields);
      else log.error({ err: error, ...fields }, 'Failure');
    },
    note: (name, fields) => log.info(fields, name),
  };
}
