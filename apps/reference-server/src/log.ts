import { pino, type Logger } from 'pino';
import type { Config } from './config.js';

export type Log = Logger;

/** A reader that has stopped reading costs lines, never memory or the event loop. */
const UNREAD_BYTES_MAX = 1 << 20;

/** The server's log, on stderr: stdout belongs to the ready line. */
export async function openLog(format: Config['log']): Promise<Log> {
  if (format === 'silent') return pino({ level: 'silent' });
  // A reader that goes away must not take the server with it.
  process.stderr.on('error', () => undefined);
  const options = { base: null, timestamp: pino.stdTimeFunctions.isoTime };
  if (format === 'json') return pino(options, { write: writeToStderr });
  const { prettyFactory } = await import('pino-pretty');
  const prettify = prettyFactory({ colorize: process.stderr.isTTY, translateTime: 'SYS:HH:MM:ss.l', singleLine: true, errorLikeObjectKeys: ['err'] });
  return pino(options, { write: (line: string) => writeToStderr(prettify(line)) });
}

function writeToStderr(line: string): void {
  if (process.stderr.writableLength < UNREAD_BYTES_MAX) process.stderr.write(line);
}
