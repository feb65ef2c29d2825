import { pino, type Logger, type LoggerOptions } from 'pino';
import type { Config } from './config.js';
import { toldError } from './told-error.js';
import { withoutSecrets } from './without-secrets.js';

export type Log = Logger;

/** A reader that has stopped reading costs lines, never memory or the event loop. */
const UNREAD_BYTES_MAX = 1 << 20;

export const LOG_OPTIONS = {
  base: null,
  timestamp: pino.stdTimeFunctions.isoTime,
  serializers: { err: (error: unknown) => toldError(error) },
  formatters: { log: withoutSecrets },
} satisfies LoggerOptions;

/** The server's log, on stderr: stdout belongs to the ready line. */
export async function openLog(format: Config['log']): Promise<Log> {
  if (format === 'silent') return pino({ level: 'silent' });
  // A reader that goes away must not take the server with it.
  process.stderr.on('error', () => undefined);
  if (format === 'json') return pino(LOG_OPTIONS, { write: writeToStderr });
  const { prettyFactory } = await import('pino-pretty');
  const prettify = prettyFactory({
    colorize: process.stderr.isTTY,
    translateTime: 'SYS:HH:MM:ss.l',
    singleLine: true,
    errorLikeObjectKeys: ['err'],
  });
  return pino(LOG_OPTIONS, { write: (line: string) => writeToStderr(prettify(line)) });
}

function writeToStderr(line: string): void {
  if (process.stderr.writableLength < UNREAD_BYTES_MAX) process.stderr.write(line);
}
