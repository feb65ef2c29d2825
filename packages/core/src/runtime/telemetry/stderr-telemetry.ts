import { Console } from 'node:console';
import { ALARMS, isOutage, type Telemetry } from '../../ports/edge.js';
import { systemTimers, type Timers, unref } from '../scheduling/timers.js';
import { isSecretName, scrubText } from './scrub.js';

const WINDOW_MS = 10_000;
/** Leaves room for other kinds of messages. */
const LINES_OF_A_KIND_MAX = 5;
const LINES_MAX = 25;

/**
 * Limits the number of lines. A window of ten seconds starts with its first line, accepts a limited number per kind and in total, and ends
 * with the number of dropped lines.
 */
function boundedLines(
  write: (line: string) => void,
  timers: Timers = systemTimers,
): (kind: string, line: string) => void {
  let isOpen = false;
  let written = 0;
  let dropped = 0;
  const ofKind = new Map<string, number>();

  function close(): void {
    if (dropped > 0) write(`gateramp: ${dropped} log lines were dropped in the last ${WINDOW_MS / 1_000} s`);
    isOpen = false;
    written = 0;
    dropped = 0;
    ofKind.clear();
  }

  return (kind, line) => {
    if (!isOpen) {
      isOpen = true;
      unref(timers.setTimeout(close, WINDOW_MS));
    }
    const before = ofKind.get(kind) ?? 0;
    if (before >= LINES_OF_A_KIND_MAX || written >= LINES_MAX) {
      dropped += 1;
      return;
    }
    ofKind.set(kind, before + 1);
    written += 1;
    write(line);
  };
}

const MESSAGE_MAX = 300;
/** Longer text, such as a whole body in a message, is cut before it is scanned for secrets, which would take seconds. */
const READ_MAX = 2_000;
/** The text at the cut may be part of a secret, which would not be recognized. */
const CUT_OFF = 80;
/** Maximum depth of nested causes. */
const CAUSES_MAX = 3;

/** Name, message, code and location of an error and its causes, without the data that drivers attach to errors. */
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
  // Control characters are removed, so that text cannot start a new log line or change colors.
  const line = beginningWithoutSecrets(text).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ');
  return line.length > MESSAGE_MAX ? `${line.slice(0, MESSAGE_MAX)}…` : line;
}

function beginningWithoutSecrets(text: string): string {
  return text.length > READ_MAX ? scrubText(text.slice(0, READ_MAX)).slice(0, -CUT_OFF) : scrubText(text);
}

/** The first stack frame. Omitted for outages, whose location is irrelevant. */
function placeOf(error: Error): string {
  const frame = error.stack?.split('\n').find((line) => /^\s+at /.test(line));
  return frame === undefined ? '' : ` ${frame.trim()}`;
}

/** Output of the telemetry. */
export interface StderrTelemetryOptions {
  /** Writes a line; to stderr by default. */
  readonly write?: (line: string) => void;
  readonly timers?: Timers;
}

/**
 * The default telemetry: alarms and failures are single lines on stderr, limited in number. Notes are dropped, except for webhooks with a
 * blocked destination. Lines never contain secrets or bodies.
 */
export function stderrTelemetry({ write, timers }: StderrTelemetryOptions = {}): Telemetry {
  const log = write === undefined ? logToStderr : boundedLines(write, timers);
  return {
    alarm: (name, fields) => log(name, `gateramp: alarm ${name}${fieldsOnOneLine(fields)} (${ALARMS[name].meaning})`),
    failure: (error, fields) => {
      const line = errorOnOneLine(error);
      log(`failure ${line}`, `gateramp: failure${fieldsOnOneLine(fields)}: ${line}`);
    },
    note: (name, fields) => {
      if (name !== 'delivery_attempt' || fields['error'] !== 'blocked_destination') return;
      log(
        'blocked_destination',
        `gateramp: webhook not sent, its destination is not a public address${fieldsOnOneLine(fields)}; in development pass allowPrivateWebhooks: true`,
      );
    },
  };
}

/** The default `onError` of an adapter; `what` names the adapter and tells what to do. */
export function reportToStderr(what: string): (error: unknown) => void {
  return (error) => logToStderr(what, `gateramp: ${what}: ${errorOnOneLine(error)}`);
}

/** One limit for all lines of the process. A closed output loses lines, but never ends the process. */
const logToStderr = boundedLines((line) =>
  new Console({ stdout: process.stderr, stderr: process.stderr, ignoreErrors: true }).error(line),
);

/** Drops all reports; for tests, and for hosts that add their own telemetry later. */
export function silentTelemetry(): Telemetry {
  return { alarm: ignore, failure: ignore, note: ignore };
}

function ignore(): void {}
