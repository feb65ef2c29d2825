import { depositKeysOf, EVM_NETWORKS } from '@gateramp/adapters-chain-evm';
import { privateKeyToAccount } from 'viem/accounts';
import * as z from 'zod';
import { readService, serviceLeg, type ServiceConfig } from './service-legs.js';

/** The provider legs of this server, as described by `GATE_LEGS_FILE`, with their secrets. */
export interface LegsConfig extends Omit<z.output<typeof legsFile>, 'chain' | 'fiat' | 'identity' | 'screening'> {
  readonly fiat: FiatConfig;
  readonly identity: ServiceConfig;
  readonly screening: ServiceConfig;
  readonly chain: Omit<ChainFile, 'wallet' | 'deposits'> & {
    readonly wallet: Omit<ChainFile['wallet'], 'private_key_env'> & { readonly privateKey: `0x${string}` };
    readonly deposits: { readonly xpub: string } | null;
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

/** Parses a legs file. Every problem is reported with its position; none quotes a value that may be a secret. */
export function readLegs(text: string, environment: Readonly<Record<string, string | undefined>>): LegsFile {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    return { legs: null, problems: ['is not valid JSON.'], variables: [] };
  }
  const read = legsFile.safeParse(document);
  if (!read.success) return { legs: null, problems: read.error.issues.map(problemOf), variables: [] };
  const { chain: given, fiat: givenFiat, identity: identityFile, screening: screeningFile, ...rest } = read.data;
  const identity = readService('identity', identityFile, environment);
  const screening = readService('screening', screeningFile, environment);
  const { private_key_env: keyName, ...wallet } = given.wallet;
  const privateKey = environment[keyName] ?? '';
  const xpub = given.deposits === null ? null : (environment[given.deposits.xpub_env] ?? '');
  const fiat = fiatOf(givenFiat, environment);
  const problems = [
    ...repeatedNetworks(given),
    ...pricesMissing(read.data),
    ...identity.problems,
    ...screening.problems,
    ...(isPrivateKey(privateKey)
      ? []
      : [`chain.wallet.private_key_env: ${keyName} must be set to "0x" and 64 hexadecimal digits.`]),
    ...walletProblems(given.wallet, privateKey),
    ...(given.deposits === null ? [] : depositKeyProblems(given.deposits.xpub_env, xpub ?? '')),
    ...stripeProblems(read.data, fiat),
    ...fakesOnMainnet(read.data),
  ];
  const variables = [
    keyName,
    ...(given.deposits === null ? [] : [given.deposits.xpub_env]),
    ...(givenFiat.type === 'stripe' ? [givenFiat.secret_key_env, givenFiat.webhook_secret_env] : []),
    ...identity.variables,
    ...screening.variables,
  ];
  if (problems.length > 0 || !isPrivateKey(privateKey)) return { legs: null, problems, variables };
  const secrets = { wallet: { ...wallet, privateKey }, deposits: xpub === null ? null : { xpub } };
  const services = { identity: identity.service, screening: screening.service };
  return { legs: { ...rest, fiat, ...services, chain: { ...given, ...secrets } }, problems, variables };
}

/** A wrong key is reported by the name of its variable: it may be a secret one. */
function depositKeyProblems(name: string, xpub: string): readonly string[] {
  try {
    depositKeysOf(xpub);
    return [];
  } catch {
    return [
      `chain.deposits.xpub_env: ${name} must be set to the extended public key ("xpub…") of an account, m/44'/60'/0'.`,
    ];
  }
}

const MAINNETS: ReadonlySet<number> = new Set(Object.values(EVM_NETWORKS).map(({ chainId }) => chainId));

/** Test cards would buy tokens that are worth money, and fake checks would let everyone buy them. */
function fakesOnMainnet(file: z.output<typeof legsFile>): readonly string[] {
  const mainnet = file.chain.networks.findIndex((one) => MAINNETS.has(one.chain_id));
  if (mainnet === -1) return [];
  return (['fiat', 'identity', 'screening'] as const)
    .filter((leg) => file[leg]?.type === 'fake')
    .map(
      (leg) =>
        `${leg}.type: "fake" is for test networks, and chain.networks[${mainnet}].chain_id is that of a mainnet, whose tokens are worth money.`,
    );
}

/** A key of another wallet would send from an address that is not monitored. */
function walletProblems(
  { address: expected, private_key_env: name }: z.output<typeof chain>['wallet'],
  privateKey: string,
): readonly string[] {
  if (expected === undefined || !isPrivateKey(privateKey)) return [];
  const actual = privateKeyToAccount(privateKey).address;
  return actual.toLowerCase() === expected.toLowerCase()
    ? []
    : [`chain.wallet.address: ${name} is the key of ${actual}, not of ${expected}.`];
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

/** Stripe keys contain their mode. A key of the other mode would take real money for test tokens, or the reverse. */
function stripeProblems({ modes, fiat: file }: z.output<typeof legsFile>, config: FiatConfig): readonly string[] {
  if (file.type !== 'stripe' || config.type !== 'stripe') return [];
  const [mode, ...others] = new Set(modes);
  if (mode === undefined || others.length > 0)
    return ['modes: must contain one mode with fiat.type "stripe", because Stripe keys belong to one mode.'];
  const isOf = (prefixes: string, key: string) => new RegExp(`^(${prefixes})_${mode}_[A-Za-z0-9_]{4,}$`).test(key);
  return [
    ...(isOf('sk|rk', config.secretKey)
      ? []
      : [`fiat.secret_key_env: ${file.secret_key_env} must be set to a secret key of ${mode} mode ("sk_${mode}_…").`]),
    ...(/^whsec_\S{4,}$/.test(config.webhookSecret)
      ? []
      : [`fiat.webhook_secret_env: ${file.webhook_secret_env} must be set to a signing secret ("whsec_…").`]),
    ...(isOf('pk', config.publicKey)
      ? []
      : [`fiat.public_key: must be a publishable key of ${mode} mode ("pk_${mode}_…").`]),
  ];
}

/** The value is never quoted: a secret pasted here must not reach a log. */
const variableName = z
  .string()
  .regex(/^[A-Z][A-Z0-9_]{0,63}$/, 'must be the name of an environment variable, such as GATE_WALLET_KEY');

const amount = z.string().regex(/^\d{1,30}(\.\d{1,18})?$/, 'must be a decimal string');
const amounts = z.record(z.string().regex(/^[A-Z0-9]{2,12}$/, 'must be an asset such as USDC'), amount);
const symbol = z.string().regex(/^[A-Z0-9]{2,12}$/, 'must be 2 to 12 capital letters or digits');
const webUrl = z.url({ protocol: /^https?$/, error: 'must be an http or https URL' });
const count = (max: number) => z.int('must be a whole number').min(1).max(max);

const pair = z.string().regex(/^[A-Z0-9]{2,12}\/[A-Z]{3}$/, 'must be a pair such as USDC/EUR');

const prices = z.union([
  z.record(pair, amount),
  z.strictObject({ url: webUrl, max_age_seconds: count(3_600), pairs: z.array(pair).min(1).optional() }),
]);

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
  network_fees: z.record(symbol, z.record(symbol, amount)).default({}),
  /** By asset: smaller deposits of a wrong token are kept rather than returned. */
  min_returns: amounts.default({}),
  /** A second, independent RPC for the comparison of credits. */
  reconcile_rpc_url: webUrl.optional(),
  /** No transaction is signed above this gas price. */
  gas_ceiling_gwei: amount.optional(),
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
  deposits: z.strictObject({ xpub_env: variableName }).nullable().default(null),
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
  identity: serviceLeg,
  screening: serviceLeg,
});

function problemOf(issue: z.core.$ZodIssue): string {
  const place = issue.path.reduce<string>(
    (path, step) => (typeof step === 'number' ? `${path}[${step}]` : `${path === '' ? '' : `${path}.`}${String(step)}`),
    '',
  );
  const isPrices = issue.code === 'invalid_union' && issue.path.at(-1) === 'prices';
  const text = isPrices ? 'must be prices by pair, or {"url", "max_age_seconds", "pairs"}' : issue.message;
  return `${place === '' ? 'the file' : place}: ${text}.`;
}

function repeatedNetworks({ networks }: ChainFile): readonly string[] {
  return networks.flatMap(({ network: name, chain_id: id }, index) => {
    const before = networks.slice(0, index);
    return [
      ...(before.some((one) => one.network === name)
        ? [`chain.networks[${index}].network: is already configured.`]
        : []),
      ...(before.some((one) => one.chain_id === id)
        ? [`chain.networks[${index}].chain_id: is already configured.`]
        : []),
    ];
  });
}

type Prices = LegsConfig['exchange']['prices'];

/** Whether prices come from a URL. Every fixed price is text. */
export function hasPriceUrl(given: Prices): given is Extract<Prices, { max_age_seconds: number }> {
  return typeof given['max_age_seconds'] === 'number';
}

/** Pairs must have a token of the chain leg, and fixed prices must be above zero. */
function pricesMissing({
  exchange: { prices: given },
  chain: { networks },
}: z.output<typeof legsFile>): readonly string[] {
  const assets = new Set(networks.flatMap(({ native, tokens }) => [native, ...tokens.map(({ asset }) => asset)]));
  const unmoved = (pairs: readonly string[], place: string) =>
    pairs
      .filter((name) => !assets.has(name.split('/')[0] ?? ''))
      .map((name) => `exchange.prices.${place}${name}: no network has this asset.`);
  if (hasPriceUrl(given)) return unmoved(given.pairs ?? [], 'pairs.');
  const notPositive = Object.entries(given).filter(([, price]) => !/[1-9]/.test(price));
  return [
    ...unmoved(Object.keys(given), ''),
    ...notPositive.map(([name]) => `exchange.prices.${name}: must be above zero.`),
  ];
}

function isPrivateKey(text: string): text is `0x${string}` {
  return /^0x[0-9a-fA-F]{64}$/.test(text);
}
