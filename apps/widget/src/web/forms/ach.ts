import type { FieldError } from '../app/screen.js';

/** A number in its wire format, without the spaces and hyphens that people type. */
export function bankDigits(text: string): string {
  return text.replace(/[\s-]/g, '');
}

/** Checks for nine digits with the check digit of the American Bankers Association. */
export function routingNumberError(text: string): FieldError | null {
  const number = bankDigits(text);
  if (number === '') return 'required';
  if (!/^\d{9}$/.test(number)) return 'not_a_routing_number';
  const weights = [3, 7, 1];
  const sum = [...number].reduce((total, digit, at) => total + Number(digit) * (weights[at % 3] ?? 0), 0);
  return sum > 0 && sum % 10 === 0 ? null : 'not_a_routing_number';
}

export function accountNumberError(text: string): FieldError | null {
  const number = bankDigits(text);
  if (number === '') return 'required';
  return /^\d{4,17}$/.test(number) ? null : 'not_an_account_number';
}
