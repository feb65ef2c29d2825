import { Console } from 'node:console';
import type { AlarmName, Telemetry } from '../../ports/edge.js';
import type { Timers } from '../scheduling/timers.js';
import { boundedLines } from './bounded-lines.js';
import { errorOnOneLine, fieldsOnOneLine } from './on-one-line.js';

/** Where alarms, failures and notes are written. */
export interface StderrTelemetryOptions {
  /** Where a line goes; stderr by default. */
  readonly write?: (line: string) => void;
  readonly timers?: Timers;
}

/**
 * The telemetry of a host that has none of its own: alarms and failures are one plain line each on stderr, so many at most, and notes are
 * dropped but for webhooks whose destination is blocked. No line has a secret or a body.
 */
export function stderrTelemetry({ write, timers }: StderrTelemetryOptions = {}): Telemetry {
  const say = write === undefined ? sayOnStderr : boundedLines(write, timers);
  return {
    alarm: (name, fields) => say(name, `gateramp: alarm ${name}${fieldsOnOneLine(fields)}${adviceOn(name)}`),
    failure: (error, fields) => {
      const line = errorOnOneLine(error);
      say(`failure ${line}`, `gateramp: failure${fieldsOnOneLine(fields)}: ${line}`);
    },
    note: (name, fields) => {
      if (name !== 'delivery_attempt' || fields['error'] !== 'blocked_destination') return;
      say(
        'blocked_destination',
        `gateramp: webhook not sent, its destination is not a public address${fieldsOnOneLine(fields)}; in development pass allowPrivateWebhooks: true`,
      );
    },
  };
}

/** Hears the errors of an adapter that was given no `onError`: `what` says who is in trouble and what to do. */
export function reportToStderr(what: string): (error: unknown) => void {
  return (error) => sayOnStderr(what, `gateramp: ${what}: ${errorOnOneLine(error)}`);
}

/** One bound for all lines of the process. A reader that has gone away costs lines, never the process. */
const sayOnStderr = boundedLines((line) =>
  new Console({ stdout: process.stderr, stderr: process.stderr, ignoreErrors: true }).error(line),
);

const ADVICE: Partial<Readonly<Record<AlarmName, string>>> = {
  work_overdue: 'no process is running due work: call gate.start() here, or check the worker processes',
  consumer_missing:
    'no process has registered this consumer: register it with gate.on, or remove it with gate.admin.removeConsumer',
  provider_skipped: 'a provider is failing: it receives no quote requests and no new attempts until it answers again',
  settled_after_close: 'money arrived for a session that had ended: refund it or fulfil the order manually',
  clock_skewed: 'the clock of this machine, or of the database, is wrong',
};

function adviceOn(name: AlarmName): string {
  const advice = ADVICE[name];
  return advice === undefined ? '' : ` (${advice})`;
}
