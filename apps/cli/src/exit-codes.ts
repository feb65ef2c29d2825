import { APIConnectionError, GateError } from '@gateramp/sdk-node';
import { CommanderError } from 'commander';
import { type Terminal } from './terminal.js';

/** What a script may branch on. */
const EXIT = {
  done: 0,
  /** The service refused, a receiver did not acknowledge, a signature does not hold. */
  refused: 1,
  /** The command was not understood, or a file, key or address is invalid. */
  usage: 2,
  /** No answer came: is the service there? */
  unreachable: 3,
} as const;

/** What went wrong with the command itself, said to the person at the terminal. */
export class UsageError extends Error {}

/** A command that did its work, and whose answer is no. It has said so itself. */
export class Refused extends Error {}

/** Says what happened, unless that was done, and answers how the process ends. */
export function exitCodeOf(error: unknown, { note }: Pick<Terminal, 'note'>): number {
  if (error instanceof Refused) return EXIT.refused;
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
  if (error instanceof UsageError) {
    note(error.message);
    return EXIT.usage;
  }
  if (error instanceof GateError) {
    note(
      `${error.message} (${[error.status, error.code, error.requestId].filter((part) => part !== null).join(', ')})`,
    );
    if (error instanceof APIConnectionError) {
      note('Check that the service is running and that GATERAMP_BASE_URL or --base-url is its address.');
      return EXIT.unreachable;
    }
    // Refused before anything was sent: an invalid key or address.
    return error.status === null ? EXIT.usage : EXIT.refused;
  }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  text.split('\n').forEach(note);
  return EXIT.refused;
}
