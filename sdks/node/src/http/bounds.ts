import { InvalidRequestError } from '../errors/classes.js';

/** The number of retries and the timeout of an operation. */
interface Bounds {
  readonly maxRetries: number;
  readonly timeoutMs: number;
}

/** The maximum delay of a timer: larger delays fire at once. */
const TIMEOUT_MAX_MS = 2 ** 31 - 1;

/** Refuses invalid limits before anything is sent: an invalid number of retries (`Number(undefined)`) would repeat the request forever. */
export function checkBounds({ maxRetries, timeoutMs }: Bounds): void {
  if (!Number.isSafeInteger(maxRetries) || maxRetries < 0)
    throw refusal(`maxRetries must be a whole number, 0 for none; got ${String(maxRetries)}.`);
  if (typeof timeoutMs !== 'number' || !(timeoutMs > 0 && timeoutMs <= TIMEOUT_MAX_MS))
    throw refusal(`timeoutMs must be a number of milliseconds from 1 to ${TIMEOUT_MAX_MS}; got ${String(timeoutMs)}.`);
}

const refusal = (message: string): InvalidRequestError =>
  new InvalidRequestError({ code: 'invalid_configuration', message });
