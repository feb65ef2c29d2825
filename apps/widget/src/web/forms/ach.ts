import type { FieldError } from '../app/screen.js';
import { readDigits, type Reading } from './read.js';

/** Reads nine digits with the check digit of the American Bankers Association. */
export function readRoutingNumber(text: string): Reading {
  return readDigits(text, routingNumberError);
}

function routingNumberError(number: string): FieldError | null {
  if (!/^\d{9}$/.test(number)) return 'not_a_routing_number';
  const weights = [3, 7, 1];
  const sum = [...number].reduce((total, digit, at) => total + Number(digit) * (weights[at % 3] ?? 0), 0);
  return sum > 0 && sum % 10 === 0 ? null : 'not_a_routing_number';
}

export function readAccountNumber(text: string): Reading {
  return readDigits(text, (number) => (/^\d{4,17}$/.test(number) ? null : 'not_an_account_number'));
}
