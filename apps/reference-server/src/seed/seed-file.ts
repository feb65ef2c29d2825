import type { Mode } from '@gateramp/core';
import {
  brokenLimitRule,
  FLOWS,
  hasUnprintable,
  isBlank,
  isOriginText,
  KEY_SCOPES,
  parseKey,
  PAYMENT_METHODS,
  RESTRICTION_LISTS,
  type KeyType,
  type Restrictions,
} from '@gateramp/core/domain';
import * as z from 'zod';

/** Partners to create or update at the start. Omitted members are null or empty here. */
export type Seed = z.infer<typeof seedFile>;
export type SeedPartner = Seed['partners'][number];

/** A key and its limits. They apply when the key is first stored; an existing key keeps its own. */
export type SeedKey = Exclude<SeedPartner['test']['secret_keys'][number], string>;

/** Parses a seed file. Every problem is reported with its position; none quotes a key or a secret. */
export function readSeed(text: string): { readonly seed: Seed | null; readonly problems: readonly string[] } {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    return { seed: null, problems: ['is not valid JSON.'] };
  }
  const read = seedFile.safeParse(document);
  if (!read.success) return { seed: null, problems: read.error.issues.map(problemOf) };
  const problems = [...repeatedIds(read.data), ...repeatedKeys(read.data), ...repeatedPools(read.data)];
  return { seed: problems.length === 0 ? read.data : null, problems };
}

/** Treats null like an absent member. */
function absentAs<Schema extends z.ZodType>(schema: Schema, absent: z.output<Schema>) {
  return schema.nullish().transform((value) => value ?? absent);
}

const partnerName = z
  .string()
  .max(200, 'must have at most 200 characters')
  .refine((value) => !hasUnprintable(value), 'must not contain control or format characters')
  .refine((value) => !isBlank(value), 'must contain something visible');

const origin = z
  .string()
  .refine(isOrigin, 'must be an exact origin such as "https://shop.example", without path or trailing slash');

const webhookUrl = z.string().refine(isWebUrl, 'must be an absolute http or https URL without user name or password');

const webhookSecret = z.string().refine(isWebhookSecret, 'must be "whsec_" and 16 to 200 visible characters');

function keyText(type: KeyType, mode: Mode) {
  const prefix = `${type === 'secret' ? 'sk' : 'pk'}_${mode}_`;
  return z.string().refine((given) => {
    const parsed = parseKey(given);
    return parsed !== null && parsed.type === type && parsed.mode === mode;
  }, `must be "${prefix}" and 8 to 200 letters, digits or underscores`);
}

/** A secret key with its limits, or its text alone. */
function secretKey(mode: Mode) {
  const limited = z.strictObject({
    key: keyText('secret', mode),
    scopes: z
      .array(z.enum(['*', ...KEY_SCOPES]))
      .nonempty('must not be empty')
      .optional(),
    allowed_ips: z.array(z.string()).nonempty('must not be empty').optional(),
    expires_at: z.iso.datetime('must be a time such as 2030-01-31T00:00:00Z').optional(),
  });
  return z.union([keyText('secret', mode), limited], {
    error: `must be "sk_${mode}_" and 8 to 200 letters, digits or underscores, or an object with such a "key" and "scopes", "allowed_ips" or "expires_at"`,
  });
}

function endpoint(mode: Mode) {
  const fields = z.strictObject({
    secret_keys: absentAs(z.array(secretKey(mode)), []),
    publishable_keys: absentAs(z.array(keyText('publishable', mode)), []),
    webhook_url: absentAs(webhookUrl.nullable(), null),
    webhook_secret: absentAs(webhookSecret.nullable(), null),
  });
  return absentAs(fields, { secret_keys: [], publishable_keys: [], webhook_url: null, webhook_secret: null });
}

const amount = z.string().regex(/^\d{1,30}(\.\d{1,18})?$/, 'must be a decimal string');
const bps = z.int('must be a whole number of basis points').min(0).max(10_000);

const symbol = z.string().regex(/^[A-Za-z0-9]{2,12}$/, 'must be 2 to 12 letters or digits');

const pool = z
  .strictObject({
    id: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1 to 64 letters, digits, "_" or "-"'),
    asset: symbol,
    network: z.string().regex(/^[A-Za-z0-9_-]{2,30}$/, 'must be 2 to 30 letters, digits, "_" or "-"'),
    currency: symbol,
    spreadBps: bps,
    feeBps: bps,
    balances: absentAs(z.record(z.string(), amount), {}),
  })
  .refine(({ asset, currency }) => asset !== currency, 'asset and currency must differ')
  .refine(
    ({ spreadBps, feeBps }) => spreadBps + feeBps <= 10_000,
    'spreadBps and feeBps must not exceed 10000 together',
  )
  .refine(
    ({ asset, currency, balances }) => Object.keys(balances).every((name) => name === asset || name === currency),
    'balances must be in the asset or the currency of the pool',
  );

const poolsAccess = z.strictObject({
  status: absentAs(z.enum(['active', 'suspended']), 'active'),
  kyc: absentAs(z.enum(['approved', 'pending']), 'approved'),
});

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
const seedRestrictions = z
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

const quota = z.strictObject({
  completed_sessions: absentAs(z.int('must be a whole number').min(0, 'must not be negative').nullable(), null),
});

const partner = z.strictObject({
  id: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1 to 64 letters, digits, "_" or "-"'),
  name: partnerName,
  allowed_origins: absentAs(z.array(origin), []),
  kyc_trusted: absentAs(z.boolean(), false),
  live_enabled: absentAs(z.boolean(), false),
  saved_payment_methods: absentAs(z.boolean(), false),
  entitlements: absentAs(z.array(z.enum(['swap', 'rails', 'pools'])), []),
  rate_limit_factor: absentAs(
    z.number().positive('must be above 0').max(1_000_000, 'must be at most 1000000').nullable(),
    null,
  ),
  restrictions: absentAs(seedRestrictions.nullable(), null),
  quota: absentAs(quota, { completed_sessions: null }),
  test: endpoint('test'),
  live: endpoint('live'),
  pools: absentAs(z.array(pool), []),
  pools_access: absentAs(poolsAccess, { status: 'active', kyc: 'approved' }),
});

const seedFile = z.strictObject({ partners: z.array(partner) });

function problemOf(issue: z.core.$ZodIssue): string {
  const place = issue.path.reduce<string>(
    (path, step) => (typeof step === 'number' ? `${path}[${step}]` : `${path === '' ? '' : `${path}.`}${String(step)}`),
    '',
  );
  return `${place === '' ? 'the file' : place}: ${issue.message}.`;
}

function repeatedIds({ partners }: Seed): readonly string[] {
  const seen = new Map<string, number>();
  return partners.flatMap(({ id }, index) => {
    const first = seen.get(id);
    seen.set(id, first ?? index);
    return first === undefined ? [] : [`partners[${index}].id: is already the id of partners[${first}].`];
  });
}

/** A key belongs to one partner only. */
function repeatedKeys({ partners }: Seed): readonly string[] {
  const owners = new Map<string, number>();
  return partners.flatMap((one, index) =>
    keysOf(one).flatMap(({ key }) => {
      const owner = owners.get(key) ?? index;
      owners.set(key, owner);
      return owner === index ? [] : [`partners[${index}]: shares a key with partners[${owner}].`];
    }),
  );
}

/** A pool id is used once, by one partner. */
function repeatedPools({ partners }: Seed): readonly string[] {
  const owners = new Map<string, string>();
  return partners.flatMap((one, index) =>
    one.pools.flatMap(({ id }, place) => {
      const first = owners.get(id);
      const here = `partners[${index}].pools[${place}]`;
      owners.set(id, first ?? here);
      return first === undefined ? [] : [`${here}.id: is already the id of ${first}.`];
    }),
  );
}

/** Builds the restrictions of the given lists; null without any. */
export function restrictionsOf(lists: {
  readonly [Name in keyof Restrictions]: Restrictions[Name] | null | undefined;
}): Restrictions | null {
  const given = Object.entries(lists).filter(([, list]) => list !== null && list !== undefined);
  return given.length === 0 ? null : Object.fromEntries(given);
}

/** All keys of a partner, of both types and modes. */
export function keysOf({ test, live }: SeedPartner): readonly SeedKey[] {
  return [test, live]
    .flatMap((mode) => [...mode.secret_keys, ...mode.publishable_keys])
    .map((key) => (typeof key === 'string' ? { key } : key));
}

/** Whether the text is scheme, host and port, exactly as browsers send an origin. */
export function isOrigin(given: string): boolean {
  return isWebUrl(given) && new URL(given).origin === given && isOriginText(given);
}

export function isWebUrl(given: string): boolean {
  if (!URL.canParse(given)) return false;
  const { protocol, username, password } = new URL(given);
  return (protocol === 'https:' || protocol === 'http:') && username === '' && password === '';
}

export function isWebhookSecret(given: string): boolean {
  return /^whsec_[\x21-\x7e]{16,200}$/.test(given);
}
