import { scrubText } from '@gateramp/core/runtime';

/** The logged fields of an error. */
interface ErrorFields {
  readonly type: string;
  readonly message: string;
  readonly code?: string;
  /** Omitted for outages, which occur everywhere at once. */
  readonly stack?: string;
  readonly cause?: ErrorFields;
}

/** Deeper causes add no information. */
const CAUSES_MAX = 4;

/**
 * Name, message, code, stack and causes. Drivers attach rows, parameters, commands and whole connections to their errors, which must not be
 * logged. Messages may quote a request: secrets are removed from them.
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
