import { escapeUnprintable } from '@gateramp/core/domain';
import { scrubMember, scrubText } from '@gateramp/core/runtime';
import { pino, type Logger, type LoggerOptions } from 'pino';
import type { Config } from './config/config.js';
import { errorFields } from './error-fields.js';
import { StartError } from './start-error.js';

export type Log = Logger;

/** If the reader of stderr stops reading, lines are dropped instead of using memory or blocking the event loop. */
const UNREAD_BYTES_MAX = 1 << 20;

/** Many lines share a millisecond, and formatting is most of the cost of a timestamp. */
let printedAt = NaN;
let printed = '';

function timestamp(): string {
  const now = Date.now();
  if (now !== printedAt) {
    printedAt = now;
    printed = `,"time":"${new Date(now).toISOString()}"`;
  }
  return printed;
}

export const LOG_OPTIONS = {
  base: null,
  timestamp,
  serializers: { err: (error: unknown) => errorFields(error) },
  formatters: { log: scrubFields },
  hooks: {
    // The arguments of a log call: fields, if any, then text.
    logMethod(given, method) {
      method.apply(this, given.map((one: unknown) => (typeof one === 'string' ? scrubText(one) : one)) as typeof given);
    },
  },
} satisfies LoggerOptions;

type Fields = Record<string, unknown>;

/**
 * Fields that contain no secret: most are in every request line, where scrubbing them would cost more than writing them. The
 * hexadecimal ids of a trace may have as many digits in a row as the number of a card.
 */
const OWN_FIELDS: ReadonlySet<string> = new Set(['request_id', 'method', 'route', 'trace_id', 'span_id']);

/** The server passes no secrets to the log, but messages and details of other software may contain them. */
function scrubFields(fields: Fields): Fields {
  const shown: Fields = {};
  for (const [name, value] of Object.entries(fields)) {
    if (value instanceof Error) shown[name] = name === 'err' ? value : errorFields(value);
    else if (OWN_FIELDS.has(name) || typeof value === 'number') shown[name] = value;
    else shown[scrubText(name)] = scrubMember(name, value);
  }
  return shown;
}

/** Escapes control and format characters for terminals, except line breaks of a stack. */
export function printable(line: string): unknown {
  return JSON.parse(line, (name, value: unknown) => {
    if (typeof value !== 'string') return value;
    return name === 'stack' ? value.split('\n').map(escapeUnprintable).join('\n') : escapeUnprintable(value);
  });
}

/** The server's log, on stderr: stdout is reserved for the ready line. */
export async function openLog(format: Config['log'], level: Config['logLevel'] = 'info'): Promise<Log> {
  if (format === 'silent') return pino({ level: 'silent' });
  // A closed pipe must not stop the server.
  process.stderr.on('error', () => undefined);
  const write = linesTogether(writeToStderr);
  const options = { ...LOG_OPTIONS, level };
  if (format === 'json') return pino(options, { write });
  const { prettyFactory } = await import('pino-pretty');
  const prettify = prettyFactory({
    colorize: process.stderr.isTTY,
    translateTime: 'SYS:HH:MM:ss.l',
    singleLine: true,
    errorLikeObjectKeys: ['err'],
  });
  return pino(options, { write: (line: string) => write(prettify(printable(line))) });
}

/** The line of a server that could not start. */
export function failureLine(error: unknown): string {
  let line = '';
  const log = pino(LOG_OPTIONS, { write: (text: string) => (line = text) });
  if (error instanceof StartError) log.fatal({ problems: error.problems }, 'Gateramp cannot start');
  else log.fatal({ err: error }, 'Gateramp cannot start');
  return line;
}

function writeToStderr(lines: string): void {
  if (process.stderr.writableLength < UNREAD_BYTES_MAX) process.stderr.write(lines);
}

/**
 * Writes the lines of one turn of the event loop together at its end, since each write is a system call. Lines logged just
 * before the process exits are written on exit.
 */
export function linesTogether(
  write: (lines: string) => void,
  atExit: (flush: () => void) => void = (flush) => process.on('exit', flush),
): (line: string) => void {
  let lines = '';
  const flush = (): void => {
    if (lines === '') return;
    write(lines);
    lines = '';
  };
  atExit(flush);
  return (line) => {
    if (lines === '') setImmediate(flush);
    lines += line;
  };
}
