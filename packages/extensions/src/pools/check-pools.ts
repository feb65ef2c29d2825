import { decimal, isRecord, isSameCode } from '@gateramp/core/domain';
import { shapeOf } from '@gateramp/core/extension';
import { BPS_WHOLE } from './pool.js';

const SYMBOL = /^[A-Za-z0-9]{2,12}$/;
const AMOUNT = /^-?\d{1,30}(\.\d{1,18})?$/;

const POOL_FIELDS: Readonly<Record<string, (value: unknown) => string | null>> = {
  id: (value) =>
    typeof value === 'string' && /^[A-Za-z0-9_-]{1,64}$/.test(value)
      ? null
      : 'must be 1 to 64 letters, digits, "_" or "-"',
  asset: symbolProblem,
  network: (value) =>
    typeof value === 'string' && /^[A-Za-z0-9_-]{2,30}$/.test(value)
      ? null
      : 'must be 2 to 30 letters, digits, underscores or hyphens',
  currency: symbolProblem,
  spreadBps: bpsProblem,
  feeBps: bpsProblem,
};

export function poolProblems(pool: unknown): readonly string[] {
  if (!isRecord(pool)) return [`The pool must be an object, not ${shapeOf(pool)}.`];
  const { asset, currency, spreadBps, feeBps } = pool;
  return [
    ...fieldProblems('a pool', POOL_FIELDS, pool),
    ...(isSameCode(String(asset), String(currency))
      ? ['asset and currency must differ: a pool has a balance of each.']
      : []),
    ...(Number(spreadBps) + Number(feeBps) > BPS_WHOLE
      ? [`spreadBps and feeBps must not exceed ${BPS_WHOLE} together.`]
      : []),
  ];
}

const MOVEMENT_FIELDS: Readonly<Record<string, (value: unknown) => string | null>> = {
  poolId: (value) => (typeof value === 'string' && value !== '' ? null : 'must be the id of a pool'),
  currency: (value) => (typeof value === 'string' && value !== '' ? null : "must be one of the pool's two currencies"),
  amount: (value) =>
    typeof value === 'string' && decimal.isDecimal(value) && AMOUNT.test(value)
      ? null
      : 'must be a decimal string, negative to withdraw',
  reference: (value) =>
    typeof value === 'string' && /^[\x21-\x7e]{1,100}$/.test(value) ? null : 'must be 1 to 100 visible characters',
};

export function movementProblems(movement: unknown): readonly string[] {
  if (!isRecord(movement)) return [`The movement must be an object, not ${shapeOf(movement)}.`];
  return fieldProblems('a movement', MOVEMENT_FIELDS, movement);
}

export function accessProblems(access: unknown): readonly string[] {
  if (!isRecord(access)) return [`The access must be { status, kyc }, not ${shapeOf(access)}.`];
  return fieldProblems('access', ACCESS_FIELDS, access);
}

const ACCESS_FIELDS: Readonly<Record<string, (value: unknown) => string | null>> = {
  status: (value) => (value === 'active' || value === 'suspended' ? null : 'must be "active" or "suspended"'),
  kyc: (value) => (value === 'approved' || value === 'pending' ? null : 'must be "approved" or "pending"'),
};

function fieldProblems(
  what: string,
  fields: Readonly<Record<string, (value: unknown) => string | null>>,
  given: Readonly<Record<string, unknown>>,
): readonly string[] {
  return [
    ...Object.keys(given)
      .filter((name) => !Object.hasOwn(fields, name))
      .map((name) => `${name} is not a field of ${what}; the fields are ${Object.keys(fields).join(', ')}.`),
    ...Object.entries(fields).flatMap(([name, problemOf]) => {
      const problem = problemOf(given[name]);
      return problem === null ? [] : [`${name} ${problem}; it is ${shapeOf(given[name])}.`];
    }),
  ];
}

function symbolProblem(value: unknown): string | null {
  return typeof value === 'string' && SYMBOL.test(value) ? null : 'must be 2 to 12 letters or digits';
}

function bpsProblem(value: unknown): string | null {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= BPS_WHOLE
    ? null
    : `must be a whole number of basis points, 0 to ${BPS_WHOLE}`;
}
