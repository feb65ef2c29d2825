import { scrubText } from '@gateramp/core/runtime';

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
 * for a log. Messages may quote a request: secrets are taken out of them.
 */
export function errorFields(error: unknown, causesMax = CAUSES_MAX): ErrorFields {
  if (!(error instanceof Error)) return { type: typeof error, message: scrubText(String(error)) };
  const isOutage = 'outage' in error && error.outage === true;
  return {
    type: error.name,
    message: scrubText(error.message),
    ...('code' in error && typeof error.code === 'string' ? { code: scrubText(error.code) } : {}),
    ...(isOutage || error.stack === undefined ? {} : { stack: scrubText(error.stack) }),
    ...(error.cause === undefined || isOutage || causesMax === 0
      ? {}
      : { cause: errorFields(error.cause, causesMax - 1) }),
  };
}
