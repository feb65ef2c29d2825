import { UsageError } from './exit-codes.js';

/** A whole number that an option was given. */
export function wholeNumber(option: string, text: string): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(number))
    throw new UsageError(`${option} must be a whole number, not "${text}".`);
  return number;
}
