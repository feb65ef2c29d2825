import { APIConnectionError, GateError } from '@gateramp/sdk-node';
import { CommanderError } from 'commander';
import { type Terminal } from './terminal.js';

/** The exit codes, for scripts. */
const EXIT = {
  done: 0,
  /** The service refused, a receiver did not acknowledge, or a signature is invalid. */
  refused: 1,
  /** Invalid usage, file, key or address. */
  usage: 2,
  /** No response: the service may not be running. */
  unreachable: 3,
} as const;

/** An error in the usage of a command; its message is for the user. */
export class UsageError extends Error {}

/** A command that has run and reported a negative result. */
export class Refused extends Error {}

/** Reports the error, unless it was already reported, and returns the exit code. */
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
      note(adviceOnHost(error.message));
      return EXIT.unreachable;
    }
    // Refused before anything was sent: an invalid key or address.
    return error.status === null ? EXIT.usage : EXIT.refused;
  }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  text.split('\n').forEach(note);
  return EXIT.refused;
}

/** The default hosts of keys are placeholders below the reserved domain `.example` until a deployment replaces them. */
function adviceOnHost(message: string): string {
  const placeholder = /\/\/([\w.-]+\.example)(?=[:/])/.exec(message)?.[1];
  if (placeholder === undefined)
    return 'Check that the service is running and that GATERAMP_BASE_URL or --base-url is its address.';
  return `${placeholder} is a placeholder, not a server. Set GATERAMP_BASE_URL, or --base-url, to the URL of your server.`;
}
