import { asOutage, codeOf } from './outage.js';

/** What is in the database is not what this version can work with. Asking again does not help; the message says what does. */
export class InstallationFault extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'InstallationFault';
  }
}

/** What a statement of ours failed with, as `asOutage` has it; where a table, column or function of ours is missing, it says so. */
export function explained(error: unknown): unknown {
  const code = codeOf(error);
  if (code === null || !MISSING.test(code) || !(error instanceof Error)) return asOutage(error);
  return new InstallationFault(
    `The Gateramp tables are missing or from an earlier version (${error.message}). Run "gate migrate" or "await migrate(pool)" first, ` +
      'with the schema of the store.',
    { cause: error },
  );
}

/** A schema, table, column or function that does not exist. */
const MISSING = /^(3F000|42P01|42703|42883)$/;
