import { UsageError } from './exit-codes.js';

/** Parses the value of an option as a whole number. */
export function wholeNumber(option: string, text: string): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(number))
    throw new UsageError(`${option} must be a whole number, not "${text}".`);
  return number;
}
