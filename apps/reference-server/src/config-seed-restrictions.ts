import { FLOWS, PAYMENT_METHODS, decimal, type Restrictions } from '@gateramp/core/domain';
import * as z from 'zod';

/** An absent list allows everything, so an empty one is a mistake: it would allow nothing. */
function listOf<Item extends z.ZodType>(item: Item) {
  return z.array(item).min(1, 'must name at least one; leave it out to allow all').nullish();
}

const amount = z.string().regex(/^\d{1,30}(\.\d{1,18})?$/, 'must be a decimal number as text');

const limit = z
  .strictObject({
    flow: z.enum(FLOWS).nullish(),
    payment_method: z.enum(PAYMENT_METHODS).nullish(),
    currency: z.string().regex(/^[A-Z]{3}$/, 'must be three upper-case letters'),
    min_amount: amount.nullish(),
    max_amount: amount.nullish(),
  })
  .transform(({ flow, payment_method, currency, min_amount, max_amount }) => ({
    flow: flow ?? null,
    paymentMethod: payment_method ?? null,
    currency,
    minAmount: min_amount ?? null,
    maxAmount: max_amount ?? null,
  }))
  .refine(
    ({ minAmount, maxAmount }) => minAmount !== null || maxAmount !== null,
    'needs min_amount, max_amount or both',
  )
  .refine(
    ({ minAmount, maxAmount }) =>
      minAmount === null || maxAmount === null || decimal.compare(minAmount, maxAmount) <= 0,
    'min_amount is above max_amount',
  );

/** The `restrictions` of a partner in the seed file. Without any member they are null. */
export const seedRestrictions = z
  .strictObject({
    flows: listOf(z.enum(FLOWS)),
    payment_methods: listOf(z.enum(PAYMENT_METHODS)),
    assets: listOf(
      z
        .string()
        .regex(
          /^[A-Za-z0-9]{2,12}(@[A-Za-z0-9_-]{2,30})?$/,
          'must be an asset such as "USDC", or "USDC@base" on one network',
        ),
    ),
    countries: listOf(z.string().regex(/^[A-Z]{2}$/, 'must be two upper-case letters')),
    limits: listOf(limit),
  })
  .transform(({ flows, payment_methods: paymentMethods, assets, countries, limits }) =>
    restrictionsOf({ flows, paymentMethods, assets, countries, limits }),
  );

/** Restrictions of the lists that are there; null without any. */
export function restrictionsOf(lists: {
  readonly [Name in keyof Restrictions]: Restrictions[Name] | null | undefined;
}): Restrictions | null {
  const given = Object.entries(lists).filter(([, list]) => list !== null && list !== undefined);
  return given.length === 0 ? null : Object.fromEntries(given);
}
