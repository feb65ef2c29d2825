/** A failure that the operator can fix. The command exits with 1. */
export class CommandError extends Error {}

/** Invalid usage. The command exits with 2 and has done nothing. */
export class UsageError extends CommandError {}
