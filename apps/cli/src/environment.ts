import { homedir } from 'node:os';
import { join } from 'node:path';

/** What the command line is set up with; options of a command win. */
export interface Environment {
  readonly secretKey: string | null;
  readonly baseUrl: string | null;
  readonly webhookSecret: string | null;
  /** Where `listen` keeps how far it is. */
  readonly stateDir: string;
  readonly noColour: boolean;
}

/** The one place that reads the environment. */
export function readEnvironment(): Environment {
  const { GATERAMP_SECRET_KEY, GATERAMP_BASE_URL, GATERAMP_WEBHOOK_SECRET, GATERAMP_STATE_DIR, NO_COLOR } = process.env;
  return {
    secretKey: textOf(GATERAMP_SECRET_KEY),
    baseUrl: textOf(GATERAMP_BASE_URL),
    webhookSecret: textOf(GATERAMP_WEBHOOK_SECRET),
    stateDir: textOf(GATERAMP_STATE_DIR) ?? join(homedir(), '.gateramp'),
    noColour: textOf(NO_COLOR) !== null,
  };
}

const textOf = (value: string | undefined): string | null => (value === undefined || value === '' ? null : value);
