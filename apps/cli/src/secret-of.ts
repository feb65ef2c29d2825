import { Option } from 'commander';
import { UsageError } from './exit-codes.js';
import { type Terminal } from './terminal.js';

interface Given {
  readonly secret?: string;
}

/** Kept for scripts that use it; not in the help, because the environment is the better place. */
export const secretOption = (): Option => new Option('--secret <whsec>', 'the signing secret').hideHelp();

/** The signing secret that a command needs. */
export function secretOf(given: Given, terminal: Terminal): string {
  return givenSecret(given, terminal) ?? refuse();
}

/** The signing secret that the command was given, null if none. */
export function givenSecret({ secret }: Given, { environment, note }: Terminal): string | null {
  if (secret !== undefined)
    note(
      'Warning: other users of this machine can read arguments, and the shell keeps them. Set GATERAMP_WEBHOOK_SECRET instead of --secret.',
    );
  const given = secret ?? environment.webhookSecret;
  if (given === null || /^whsec_[\x21-\x7e]+$/.test(given)) return given;
  return refuse();
}

/** What was given instead is not quoted: it may be another secret. */
function refuse(): never {
  throw new UsageError(
    'Missing or malformed signing secret. Set GATERAMP_WEBHOOK_SECRET to the complete "whsec_…" value, without spaces or quotes.',
  );
}
