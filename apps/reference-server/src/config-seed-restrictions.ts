import { brokenLimitRule, FLOWS, PAYMENT_METHODS, RESTRICTION_LISTS, type Restrictions } from '@gateramp/core/domain';
import * as z from 'zod';

/** An absent list allows everything, so an empty one is a mistake: it would allow nothing. */
function listOf<Item extends z.ZodType>(item: Item) {
  return z.array(item).min(1, 'must have at least one entry; omit it to allow all').nullish();
}

const limit = z
  .strictObject({
    flow: z.enum(FLOWS).nullish(),
    payment_method: z.enum(PAYMENT_METHODS).nullish(),
    currency: z.string().toUpperCase(),
    min_amount: z.string().nullish(),
    max_amount: z.string().nullish(),
  })
  .transform(({ flow, payment_method, currency, min_amount, max_amount }) => ({
    flow: flow ?? null,
    paymentMethod: payment_method ?? null,
    currency,
    minAmount: min_amount ?? null,
    maxAmount: max_amount ?? null,
  }))
  .superRefine((given, context) => {
    const rule = brokenLimitRule(given);
    if (rule !== null) context.addIssue({ code: 'custom', message: LIMIT_RULES[rule] });
  });

const LIMIT_RULES: Readonly<Record<NonNullable<ReturnType<typeof brokenLimitRule>>, string>> = {
  flow: `flow must be one of ${FLOWS.join(', ')}`,
  payment_method: `payment_method must be one of ${PAYMENT_METHODS.join(', ')}`,
  currency: 'currency must be three letters',
  amount: 'min_amount and max_amount must be decimal numbers as text',
  unbounded: 'needs min_amount, max_amount or both',
  crossed: 'min_amount is above max_amount',
};

/** The `restrictions` of a partner in the seed file. Null if no member is set. */
export const seedRestrictions = z
  .strictObject({
    flows: listOf(z.enum(FLOWS)),
    payment_methods: listOf(z.enum(PAYMENT_METHODS)),
    assets: listOf(
      z.string().refine(RESTRICTION_LISTS.assets.has, 'must be an asset such as "USDC", or "USDC@base" on one network'),
    ),
    countries: listOf(z.string().toUpperCase().refine(RESTRICTION_LISTS.countries.has, 'must be two letters')),
    limits: listOf(limit),
  })
  .transform(({ flows, payment_methods: paymentMethods, assets, countries, limits }) =>
    restrictionsOf({ flows, paymentMethods, assets, countries, limits }),
  );

/** Builds the restrictions of the given lists; null without any. */
export function restrictionsOf(lists: {
  readonly [Name in keyof Restrictions]: Restrictions[Name] | null | undefined;
}): Restrictions | null {
  const given = Object.entries(lists).filter(([, list]) => list !== null && list !== undefined);
  return given.length === 0 ? null : Object.fromEntries(given);
}
