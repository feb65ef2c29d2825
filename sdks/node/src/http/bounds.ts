import { InvalidRequestError } from '../errors/classes.js';

/** How often and how long an operation is tried. */
interface Bounds {
  readonly maxRetries: number;
  readonly timeoutMs: number;
}

/** What a timer can hold: one that is set to more rings at once. */
const TIMEOUT_MAX_MS = 2 ** 31 - 1;

/** An invalid number of retries (`Number(undefined)`) would be asked for without end, so it is refused before anything is sent. */
export function checkBounds({ maxRetries, timeoutMs }: Bounds): void {
  if (!Number.isSafeInteger(maxRetries) || maxRetries < 0)
    throw refusal(`maxRetries must be a whole number, 0 for none; got ${String(maxRetries)}.`);
  if (typeof timeoutMs !== 'number' || !(timeoutMs > 0 && timeoutMs <= TIMEOUT_MAX_MS))
    throw refusal(`timeoutMs must be a number of milliseconds from 1 to ${TIMEOUT_MAX_MS}; got ${String(timeoutMs)}.`);
}

const refusal = (message: string): InvalidRequestError =>
  new InvalidRequestError({ code: 'invalid_configuration', message });
