/** What the log says of an error. */
interface ErrorFields {
  readonly type: string;
  readonly message: string;
  readonly code?: string;
  /** Where it happened; not of an outage, which happens everywhere at once. */
  readonly stack?: string;
  readonly cause?: ErrorFields;
}

/** Causes of causes beyond this say nothing new. */
const CAUSES_MAX = 4;

/**
 * Name, message, code, stack and causes: drivers hang rows, parameters, commands and whole connections on their errors, and none of that is
 * for a log.
 */
export function errorFields(error: unknown, causesMax = CAUSES_MAX): ErrorFields {
  if (!(error instanceof Error)) return { type: typeof error, message: String(error) };
  const isOutage = 'outage' in error && error.outage === true;
  return {
    type: error.name,
    message: error.message,
    ...('code' in error && typeof error.code === 'string' ? { code: error.code } : {}),
    ...(isOutage || error.stack === undefined ? {} : { stack: error.stack }),
    ...(error.cause === undefined || isOutage || causesMax === 0
      ? {}
      : { cause: errorFields(error.cause, causesMax - 1) }),
  };
}
