import { Option } from 'commander';
import { UsageError } from './exit-codes.js';
import { type Terminal } from './terminal.js';

interface Given {
  readonly secret?: string;
}

/** Supported for existing scripts, but not in the help, because the environment is the safer place. */
export const secretOption = (): Option => new Option('--secret <whsec>', 'the signing secret').hideHelp();

/** The signing secret that a command requires. */
export function secretOf(given: Given, terminal: Terminal): string {
  return givenSecret(given, terminal) ?? refuse();
}

/** The given signing secret; null if there is none. */
export function givenSecret({ secret }: Given, { environment, note }: Terminal): string | null {
  if (secret !== undefined)
    note(
      'Warning: other users of this machine can read arguments, and your shell history stores them. Set GATERAMP_WEBHOOK_SECRET instead of --secret.',
    );
  const given = secret ?? environment.webhookSecret;
  if (given === null || /^whsec_[\x21-\x7e]+$/.test(given)) return given;
  return refuse();
}

/** Does not quote the given value, which may be another secret. */
function refuse(): never {
  throw new UsageError(
    'Missing or malformed signing secret. Set GATERAMP_WEBHOOK_SECRET to the complete "whsec_…" value, without spaces or quotes.',
  );
}
