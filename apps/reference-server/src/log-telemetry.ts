import { isOutage, type Telemetry } from '@gateramp/core/ports';
import { alarmLink } from './monitoring/alarm-path.js';
import { alarmLine } from './monitoring/alarms.js';
import type { Log } from './log.js';
import { outageLines, type HasRecovered, type OutageTimers } from './outage-lines.js';

interface LogTelemetryOptions {
  readonly hasRecovered?: HasRecovered;
  readonly timers?: OutageTimers;
  /** The public origin of the console, for links to what alarms concern; null for none. */
  readonly consoleUrl?: string | null;
}

/** Writes the engine's telemetry to the log. Its fields are plain values without secrets. */
export function logTelemetry(
  log: Log,
  { hasRecovered, timers, consoleUrl = null }: LogTelemetryOptions = {},
): Telemetry {
  const outage = outageLines(
    {
      began: (error, fields) => log.error({ err: error, ...fields }, 'Outage'),
      over: (fields) => log.warn(fields, 'Outage over'),
    },
    hasRecovered,
    timers,
  );
  return {
    alarm: (name, fields) => log.error({ alarm: name, ...fields, ...alarmLink(fields, consoleUrl) }, alarmLine(name)),
    failure: (error, fields) => {
      if (isOutage(error)) outage(error, fields);
      else log.error({ err: error, ...fields }, 'Failure');
    },
    // Most webhooks are delivered at once, and the line of the request that caused them says enough.
    note: (name, fields) => log[isDelivered(name, fields) ? 'debug' : 'info'](fields, name),
  };
}

function isDelivered(name: string, { status }: Readonly<Record<string, string | number | null>>): boolean {
  return name === 'delivery_attempt' && status === 'delivered';
}
