import { Console } from 'node:console';
import type { AlarmName, Telemetry } from '../../ports/edge.js';
import { isOutage } from '../../ports/outage.js';
import { systemTimers, type Timers, unref } from '../scheduling/timers.js';
import { isSecretName, scrubText } from './scrub.js';

const WINDOW_MS = 10_000;
/** So that one kind of trouble leaves room for another. */
const LINES_OF_A_KIND_MAX = 5;
const LINES_MAX = 25;

/**
 * Lines that a storm does not flood: ten seconds begin with the first line, take so many of a kind and so many in all, and end with the
 * number of those that were left out.
 */
function boundedLines(
  write: (line: string) => void,
  timers: Timers = systemTimers,
): (kind: string, line: string) => void {
  let isOpen = false;
  let written = 0;
  let leftOut = 0;
  const ofKind = new Map<string, number>();

  function close(): void {
    if (leftOut > 0) write(`gateramp: ${leftOut} log lines were dropped in the last ${WINDOW_MS / 1_000} s`);
    isOpen = false;
    written = 0;
    leftOut = 0;
    ofKind.clear();
  }

  return (kind, line) => {
    if (!isOpen) {
      isOpen = true;
      unref(timers.setTimeout(close, WINDOW_MS));
    }
    const before = ofKind.get(kind) ?? 0;
    if (before >= LINES_OF_A_KIND_MAX || written >= LINES_MAX) {
      leftOut += 1;
      return;
    }
    ofKind.set(kind, before + 1);
    written += 1;
    write(line);
  };
}

const MESSAGE_MAX = 300;
/** Of a longer text, such as a whole body in a message, no more is read: looking through all of it for secrets takes seconds. */
const READ_MAX = 2_000;
/** The text at the cut may be half a secret, which would not be recognised. */
const CUT_OFF = 80;
/** Causes of causes beyond this say nothing new. */
const CAUSES_MAX = 3;

/** Name, message, code and place of an error, and its causes: what drivers attach to their errors is not for a log. */
function errorOnOneLine(error: unknown, causesMax = CAUSES_MAX): string {
  if (!(error instanceof Error)) return textOnOneLine(String(error));
  const code = 'code' in error && typeof error.code === 'string' ? ` (${error.code})` : '';
  const cause =
    error.cause === undefined || causesMax === 0 ? '' : `, because of ${errorOnOneLine(error.cause, causesMax - 1)}`;
  return `${textOnOneLine(`${error.name}: ${error.message}`)}${code}${isOutage(error) ? '' : placeOf(error)}${cause}`;
}

function fieldsOnOneLine(fields: Readonly<Record<string, string | number | null>>): string {
  return Object.entries(fields)
    .map(([name, value]) => ` ${name}=${isSecretName(name) ? '[redacted]' : textOnOneLine(String(value))}`)
    .join('');
}

function textOnOneLine(text: string): string {
  // A line of a log ends where we end it, and colours nothing.
  const line = beginningWithoutSecrets(text).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ');
  return line.length > MESSAGE_MAX ? `${line.slice(0, MESSAGE_MAX)}…` : line;
}

function beginningWithoutSecrets(text: string): string {
  return text.length > READ_MAX ? scrubText(text.slice(0, READ_MAX)).slice(0, -CUT_OFF) : scrubText(text);
}

/** The first line of the stack that says where. An outage happens everywhere at once. */
function placeOf(error: Error): string {
  const frame = error.stack?.split('\n').find((line) => /^\s+at /.test(line));
  return frame === undefined ? '' : ` ${frame.trim()}`;
}

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

/** Drops all reports. For tests and for hosts that bring their own later. */
export function silentTelemetry(): Telemetry {
  return { alarm: ignore, failure: ignore, note: ignore };
}

function ignore(): void {}
