import { homedir } from 'node:os';
import { join } from 'node:path';

/** The settings of the command line; options of a command override them. */
export interface Environment {
  readonly secretKey: string | null;
  readonly baseUrl: string | null;
  readonly webhookSecret: string | null;
  /** Where `listen` saves its position. */
  readonly stateDir: string;
  readonly noColour: boolean;
  /** Whether a package manager runs this process, as npx does. */
  readonly isPackageScript: boolean;
}

/** The only place that reads the environment. */
export function readEnvironment(): Environment {
  const {
    GATERAMP_SECRET_KEY,
    GATERAMP_BASE_URL,
    GATERAMP_WEBHOOK_SECRET,
    GATERAMP_STATE_DIR,
    NO_COLOR,
    npm_lifecycle_event,
  } = process.env;
  return {
    secretKey: textOf(GATERAMP_SECRET_KEY),
    baseUrl: textOf(GATERAMP_BASE_URL),
    webhookSecret: textOf(GATERAMP_WEBHOOK_SECRET),
    stateDir: textOf(GATERAMP_STATE_DIR) ?? join(homedir(), '.gateramp'),
    noColour: textOf(NO_COLOR) !== null,
    isPackageScript: npm_lifecycle_event !== undefined,
  };
}

const textOf = (value: string | undefined): string | null => (value === undefined || value === '' ? null : value);
