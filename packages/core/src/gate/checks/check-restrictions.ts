import { PAYMENT_METHODS } from '../../domain/intent/intent.js';
import { compare, isDecimal } from '../../domain/money/decimal.js';
import { FLOWS } from '../../domain/session/terms.js';
import { isRecord, shapeOf } from './gate-fault.js';

const LISTS: Readonly<Record<string, { readonly of: string; readonly has: (value: unknown) => boolean }>> = {
  flows: { of: FLOWS.join(', '), has: (value) => FLOWS.some((flow) => flow === value) },
  paymentMethods: {
    of: PAYMENT_METHODS.join(', '),
    has: (value) => PAYMENT_METHODS.some((method) => method === value),
  },
  assets: {
    of: 'assets such as "USDC" or "USDC@base"',
    has: (value) => typeof value === 'string' && /^[A-Za-z0-9]{2,12}(@[A-Za-z0-9_-]{2,30})?$/.test(value),
  },
  countries: {
    of: 'country codes of two upper-case letters',
    has: (value) => typeof value === 'string' && /^[A-Z]{2}$/.test(value),
  },
};

const LIMIT_FIELDS = ['flow', 'paymentMethod', 'currency', 'minAmount', 'maxAmount'];

/** What is wrong with a partner's restrictions, each problem with its place. */
export function restrictionProblems(restrictions: unknown): readonly string[] {
  if (restrictions === undefined || restrictions === null) return [];
  if (!isRecord(restrictions)) return [`restrictions must be an object, or null; it is ${shapeOf(restrictions)}.`];
  const names = [...Object.keys(LISTS), 'limits'];
  return [
    ...Object.keys(restrictions)
      .filter((name) => !names.includes(name))
      .map((name) => `restrictions.${name}: restrictions have no such field; they have ${names.join(', ')}.`),
    ...Object.entries(LISTS).flatMap(([name, { of, has }]) => {
      const list = restrictions[name];
      if (list === undefined || (isFilled(list) && list.every(has))) return [];
      return [`restrictions.${name} must be a non-empty array of ${of}, or absent; it is ${shapeOf(list)}.`];
    }),
    ...limitProblems(restrictions['limits']),
  ];
}

function isFilled(list: unknown): list is readonly unknown[] {
  return Array.isArray(list) && list.length > 0;
}

function limitProblems(limits: unknown): readonly string[] {
  if (limits === undefined) return [];
  if (!isFilled(limits))
    return [`restrictions.limits must be a non-empty array of limits, or absent; it is ${shapeOf(limits)}.`];
  return limits.flatMap((limit, index) => {
    const problem = limitProblem(limit);
    return problem === null ? [] : [`restrictions.limits[${index}] ${problem}.`];
  });
}

function limitProblem(limit: unknown): string | null {
  if (!isRecord(limit)) return `must be an object, not ${shapeOf(limit)}`;
  const stranger = Object.keys(limit).find((name) => !LIMIT_FIELDS.includes(name));
  if (stranger !== undefined) return `has no field ${stranger}; it has ${LIMIT_FIELDS.join(', ')}`;
  const { flow = null, paymentMethod = null, currency, minAmount = null, maxAmount = null } = limit;
  if (flow !== null && !FLOWS.some((known) => known === flow))
    return `must have a flow of ${FLOWS.join(', ')}, or none`;
  if (paymentMethod !== null && !PAYMENT_METHODS.some((known) => known === paymentMethod))
    return `must have a paymentMethod of ${PAYMENT_METHODS.join(', ')}, or none`;
  if (typeof currency !== 'string' || !/^[A-Z]{3}$/.test(currency))
    return 'must have a currency of three upper-case letters';
  if (!isAmountOrNull(minAmount) || !isAmountOrNull(maxAmount))
    return 'must have minAmount and maxAmount as decimal text, or one of them';
  if (minAmount === null && maxAmount === null) return 'must have minAmount, maxAmount or both';
  if (minAmount !== null && maxAmount !== null && compare(minAmount, maxAmount) > 0)
    return 'must not have a minAmount above its maxAmount';
  return null;
}

function isAmountOrNull(value: unknown): value is string | null {
  return value === null || (typeof value === 'string' && value.length <= 40 && isDecimal(value));
}
