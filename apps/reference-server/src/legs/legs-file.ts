import * as z from 'zod';
import { isPrivateKey, legsProblems, objectOf, type Found } from './legs-checks.js';
import { serviceLeg, serviceOf, serviceTypes, type ServiceConfig } from './service-legs.js';

/** The provider legs of this server, as described by `GATE_LEGS_FILE`, with their secrets. */
export interface LegsConfig extends Omit<z.output<typeof legsFile>, 'chain' | 'fiat' | 'identity' | 'screening'> {
  readonly fiat: FiatConfig;
  readonly identity: ServiceConfig;
  readonly screening: ServiceConfig;
  readonly chain: Omit<ChainFile, 'wallet' | 'deposits'> & {
    readonly wallet: Omit<ChainFile['wallet'], 'private_key_env'> & { readonly privateKey: `0x${string}` };
    readonly deposits: { readonly xpub: string; readonly ownAddresses: readonly `0x${string}`[] } | null;
  };
}

/** The fiat leg, with its secrets read from the environment. */
type FiatConfig =
  | { readonly type: 'fake' }
  | {
      readonly type: 'stripe';
      readonly secretKey: string;
      readonly webhookSecret: string;
      readonly publicKey: string;
      readonly feeBps: number;
      /** The base URL of the Stripe API; null for the production one. */
      readonly apiUrl: string | null;
    };

/** The content of a legs file. */
interface LegsFile {
  /** Null if there are problems. */
  readonly legs: LegsConfig | null;
  readonly problems: readonly string[];
  /** The variables that contain its secrets, which then count as settings of this server. */
  readonly variables: readonly string[];
}

/** One network of the chain leg, as written in the file. */
export type NetworkFile = ChainFile['networks'][number];

type ChainFile = z.output<typeof chain>;

/**
 * Parses a legs file. Every problem of every section is reported at once, with its position; none quotes a value that may be a secret.
 */
export function readLegs(text: string, environment: Readonly<Record<string, string | undefined>>): LegsFile {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    return { legs: null, problems: ['is not valid JSON.'], variables: [] };
  }
  const variables = variablesOf(document);
  const read = legsFile.safeParse(document);
  const issues = read.success ? [] : [...read.error.issues, ...issuesOfUnknownTypes(document)];
  const problems = [
    ...issues.map(problemOf),
    ...unsetOfUnknownTypes(document, environment),
    ...legsProblems(validPartsOf(document, issues), environment),
  ];
  if (!read.success || problems.length > 0) return { legs: null, problems, variables };
  return { legs: withSecrets(read.data, environment), problems, variables };
}

/** The file with the values of its variables, which the checks have found right. */
function withSecrets(
  { chain: given, fiat: givenFiat, identity, screening, ...rest }: z.output<typeof legsFile>,
  environment: Readonly<Record<string, string | undefined>>,
): LegsConfig {
  const { private_key_env: keyName, ...wallet } = given.wallet;
  const privateKey = environment[keyName] ?? '';
  if (!isPrivateKey(privateKey)) throw new Error(`${keyName} was not checked.`);
  return {
    ...rest,
    fiat: fiatOf(givenFiat, environment),
    identity: serviceOf(identity, environment),
    screening: serviceOf(screening, environment),
    chain: {
      ...given,
      wallet: { ...wallet, privateKey },
      deposits:
        given.deposits === null
          ? null
          : { xpub: environment[given.deposits.xpub_env] ?? '', ownAddresses: given.deposits.own_addresses },
    },
  };
}

function fiatOf(file: z.output<typeof fiat>, environment: Readonly<Record<string, string | undefined>>): FiatConfig {
  if (file.type === 'fake') return file;
  return {
    type: 'stripe',
    secretKey: environment[file.secret_key_env] ?? '',
    webhookSecret: environment[file.webhook_secret_env] ?? '',
    publicKey: file.public_key,
    feeBps: file.fee_bps,
    apiUrl: file.api_url,
  };
}

/** The value is never quoted: a secret pasted here must not reach a log. */
const variableName = z
  .string()
  .regex(/^[A-Z][A-Z0-9_]{0,63}$/, 'must be the name of an environment variable, such as GATE_WALLET_KEY');

const amount = z.string().regex(/^\d{1,30}(\.\d{1,18})?$/, 'must be a decimal string');
const amounts = recordOf(z.string().regex(/^[A-Z0-9]{2,12}$/, 'must be an asset such as USDC'), amount);
const symbol = z.string().regex(/^[A-Z0-9]{2,12}$/, 'must be 2 to 12 capital letters or digits');
const webUrl = z.url({ protocol: /^https?$/, error: 'must be an http or https URL' });
const count = (max: number) => z.int('must be a whole number').min(1).max(max);

const pair = z.string().regex(/^[A-Z0-9]{2,12}\/[A-Z]{3}$/, 'must be a pair such as USDC/EUR');

const fixedPricesFile = recordOf(
  pair,
  amount.refine((price) => /[1-9]/.test(price), 'must be above zero'),
  'must be prices by pair, or {"urls", "quorum", "max_age_seconds", "pairs"}',
);

const sourceUrls = z
  .array(webUrl)
  .min(1, 'must name at least one source')
  .max(9, 'must name at most 9 sources')
  .refine((urls) => new Set(urls).size === urls.length, 'must not repeat a source');

const priceSource = z.strictObject({
  /** One source, or several in `urls`. */
  url: webUrl.optional(),
  urls: sourceUrls.optional(),
  /** How many sources of different hosts must agree. 2 by default, or 1 for one host. */
  quorum: count(9).optional(),
  max_age_seconds: count(3_600),
  /** How far one source alone may move a price at once. */
  max_jump_bps: z.int('must be a whole number of basis points').min(1).max(10_000).default(1_000),
  pairs: z.array(pair).min(1).optional(),
});

/** Prices of the file itself, or their source. The members decide which, so that problems are named at their position. */
const prices = z
  .unknown()
  .transform((given, context): z.output<typeof fixedPricesFile> | z.output<typeof priceSource> => {
    const members = objectOf(given);
    const isSource = Object.keys(priceSource.shape).some((name) => name in members);
    const read = isSource ? priceSource.safeParse(given) : fixedPricesFile.safeParse(given);
    if (read.success) return read.data;
    for (const { path, message, ...issue } of read.error.issues)
      context.addIssue(
        issue.code === 'unrecognized_keys'
          ? { code: issue.code, keys: issue.keys, path, message, input: members }
          : { code: 'custom', path, message },
      );
    return z.NEVER;
  });

const exchange = z.strictObject({
  type: z.literal('fixed_spread', 'must be "fixed_spread"'),
  spread_bps: z.int('must be a whole number of basis points').min(0).max(9_999),
  prices,
});

const address = z.templateLiteral(
  ['0x', z.string().regex(/^[0-9a-fA-F]{40}$/)],
  'must be "0x" and 40 hexadecimal digits',
);

const token = z.strictObject({
  asset: symbol,
  address,
  decimals: z.int().min(0).max(36),
});

const network = z.strictObject({
  network: z.string().regex(/^[a-z0-9_-]{2,30}$/, 'must be 2 to 30 lower-case letters, digits, "_" or "-"'),
  display_name: z.string().min(1).max(60).optional(),
  chain_id: count(Number.MAX_SAFE_INTEGER),
  rpc_urls: z.array(webUrl).min(1, 'must name at least one RPC'),
  confirmations: count(1_000),
  deposit_confirmations: count(1_000).optional(),
  finality: z.enum(['confirmations', 'tag'], 'must be "confirmations" or "tag"').optional(),
  tx_url: webUrl
    .refine((url) => url.includes('{hash}'), 'must contain {hash}')
    .nullable()
    .default(null),
  native: symbol,
  tokens: z.array(token),
  fees: z.enum(['eip1559', 'legacy'], 'must be "eip1559" or "legacy"').default('eip1559'),
  /** By asset, then by currency: the cost of one send, added to the buyer's quote. */
  network_fees: recordOf(symbol, recordOf(symbol, amount)).default({}),
  /** By asset: smaller deposits of a wrong token are kept rather than returned. */
  min_returns: amounts.default({}),
  /** A second, independent RPC for the comparison of credits. */
  reconcile_rpc_url: webUrl.optional(),
  /** No transaction is signed above this gas price. */
  gas_ceiling_gwei: amount.optional(),
  /** The most that gas may cost: a multiple of its highest price in the newest blocks, and a share of the value sent. */
  fee_multiple_max: count(1_000).default(10),
  fee_share_max_bps: count(1_000_000).default(5_000),
  /** The network is unavailable while its newest block is older. */
  head_max_age_seconds: count(86_400).default(300),
});

const chain = z.strictObject({
  type: z.literal('evm', 'must be "evm"'),
  wallet: z.strictObject({
    private_key_env: variableName,
    /** The address that the key must have. */
    address: address.optional(),
    max_per_send: amounts.default({}),
    max_per_day: amounts.default({}),
    floor: amounts.default({}),
  }),
  deposits: z
    .strictObject({
      xpub_env: variableName,
      /** Accounts of the operator, whose transfers to deposit addresses are not the buyer's. */
      own_addresses: z.array(address).default([]),
    })
    .nullable()
    .default(null),
  networks: z.array(network).min(1, 'must have at least one network'),
});

const fiat = z.discriminatedUnion(
  'type',
  [
    z.strictObject({ type: z.literal('fake') }),
    z.strictObject({
      type: z.literal('stripe'),
      secret_key_env: variableName,
      webhook_secret_env: variableName,
      // A secret pasted here is not quoted.
      public_key: z.string('must be a publishable key ("pk_…")'),
      fee_bps: z.int('must be a whole number of basis points').min(0).max(9_999).default(0),
      api_url: z
        .string()
        .regex(/^http:\/\/(127\.0\.0\.1|localhost):\d{1,5}$/, 'must be http on this machine, with a port')
        .nullable()
        .default(null),
    }),
  ],
  { error: ({ code }) => (code === 'invalid_union' ? 'must be "fake" or "stripe"' : undefined) },
);

/** Until when, and how far, the price of a sale or swap is held for its deposit. The deposit window is 30 minutes. */
const depositPrice = z.strictObject({
  held_minutes: z.int('must be a whole number of minutes').min(0).max(30).default(10),
  requote_after_bps: z.int('must be a whole number of basis points').min(0).max(9_999).default(50),
});

const country = z.string().regex(/^[A-Z]{2}$/, 'must be two capital letters, such as DE');

const legsFile = z.strictObject({
  modes: z
    .array(z.enum(['test', 'live'], 'must be "test" or "live"'))
    .min(1)
    .default(['live']),
  countries: z.array(country).min(1).default(['DE', 'US']),
  fiat,
  exchange,
  chain,
  deposit_price: depositPrice.default({ held_minutes: 10, requote_after_bps: 50 }),
  identity: serviceLeg,
  screening: serviceLeg,
});

/** The sections whose members depend on their type. */
const TYPED = { fiat: fiat.options, identity: serviceTypes.options, screening: serviceTypes.options };

/** The sections with an unknown type, and their other members. */
function unknownTypesOf(document: unknown) {
  return Object.entries(TYPED).flatMap(([section, options]) => {
    const { type, ...members } = objectOf(objectOf(document)[section]);
    const isKnown = options.some((option) => option.shape.type.safeParse(type).success);
    return isKnown ? [] : [{ section, members, options }];
  });
}

/** The problems of the members of sections with an unknown type: each member must be valid in one of the known types. */
function issuesOfUnknownTypes(document: unknown): readonly Issue[] {
  return unknownTypesOf(document).flatMap(({ section, members, options }) =>
    Object.entries(members).flatMap(([name, value]): readonly Issue[] => {
      const shapes: readonly Readonly<Record<string, z.ZodType>>[] = options.map(({ shape }) => shape);
      const member = shapes.map((shape) => shape[name]).find((schema) => schema !== undefined);
      if (member === undefined) return [{ code: 'unrecognized_keys', path: [section], keys: [name], message: '' }];
      const issues = member.safeParse(value).error?.issues ?? [];
      return issues.map((issue) => ({ ...issue, path: [section, name, ...issue.path] }));
    }),
  );
}

/** What the variables of a section with an unknown type must contain is not known, but they must be set. */
function unsetOfUnknownTypes(
  document: unknown,
  environment: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  return unknownTypesOf(document).flatMap(({ section, members }) =>
    Object.entries(members).flatMap(([member, name]) =>
      member.endsWith('_env') && variableName.safeParse(name).success && (environment[String(name)] ?? '') === ''
        ? [`${section}.${member}: ${String(name)} is not set.`]
        : [],
    ),
  );
}

/** All environment variables that the document names, also in places that are invalid otherwise. */
function variablesOf(document: unknown): readonly string[] {
  if (typeof document !== 'object' || document === null) return [];
  const named = Object.entries(document).flatMap(([member, value]: [string, unknown]) => {
    const name = member.endsWith('_env') ? variableName.safeParse(value).data : undefined;
    return name === undefined ? variablesOf(value) : [name];
  });
  return [...new Set(named)];
}

type Issue = Pick<z.core.$ZodIssue, 'path' | 'message'> & { readonly code?: string; readonly keys?: readonly string[] };

/** Reads the values of the document at which, and below which, there is no issue. Unknown members make no other value invalid. */
function validPartsOf(document: unknown, issues: readonly Issue[]): Found {
  const wrong = issues.filter(({ code }) => code !== 'unrecognized_keys').map(({ path }) => path);
  const isWithin = (path: readonly PropertyKey[], place: readonly PropertyKey[]) =>
    place.every((step, index) => path[index] === step);
  return (...path) => {
    if (wrong.some((place) => isWithin(path, place))) return undefined;
    return path.reduce<unknown>(
      (value, step) => (typeof value === 'object' && value !== null ? Reflect.get(value, step) : undefined),
      document,
    );
  };
}

function problemOf({ code, path, keys = [], message }: Issue): string {
  const place = path.reduce<string>(
    (before, step) =>
      typeof step === 'number'
        ? `${before}[${step}]`
        : `${before === '' ? '' : `${before}.`}${shownName(String(step))}`,
    '',
  );
  const text = code === 'unrecognized_keys' ? `has unknown members: ${keys.map(shownName).join(', ')}` : message;
  return `${place === '' ? 'the file' : place}: ${text}.`;
}

const SHOWN_NAME_MAX = 30;

/** The name of a member, which may be a secret that was pasted in the wrong place if it is long. */
function shownName(name: string): string {
  return name.length <= SHOWN_NAME_MAX ? name : `(a name of ${name.length} characters)`;
}

type Prices = LegsConfig['exchange']['prices'];

/** Whether prices come from a URL. Every fixed price is text. */
export function hasPriceUrl(given: Prices): given is Extract<Prices, { max_age_seconds: number }> {
  return typeof given['max_age_seconds'] === 'number';
}

/** A record that reports every wrong name and every wrong value; `z.record` leaves out the value of a wrong name. */
function recordOf<Value extends z.ZodType>(name: z.ZodString, value: Value, expected?: string) {
  return z.record(z.string(), value, expected).superRefine(
    (members, context) => {
      for (const member of Object.keys(objectOf(members)))
        for (const { message } of name.safeParse(member).error?.issues ?? [])
          context.addIssue({ code: 'custom', path: [member], message });
    },
    { when: () => true },
  );
}
