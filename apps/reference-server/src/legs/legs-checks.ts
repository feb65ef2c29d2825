import { depositKeysOf, EVM_NETWORKS } from '@gateramp/adapters-chain-evm';
import { privateKeyToAccount } from 'viem/accounts';

/**
 * The valid value at a position of a legs file; undefined if it is missing or invalid. The checks below read only valid values, so that a
 * problem in one place of the file hides none in another.
 */
export type Found = (...path: readonly (string | number)[]) => unknown;

type Environment = Readonly<Record<string, string | undefined>>;

/** The problems of a legs file that concern several of its values, or its environment variables. None quotes a secret. */
export function legsProblems(found: Found, environment: Environment): readonly string[] {
  return [
    ...repeatedNetworks(found),
    ...sourceProblems(found),
    ...unmovedPairs(found),
    ...serviceProblems('identity', found, environment),
    ...serviceProblems('screening', found, environment),
    ...walletProblems(found, environment),
    ...depositKeyProblems(found, environment),
    ...stripeProblems(found, environment),
    ...fakesOnMainnet(found),
  ];
}

export function isPrivateKey(text: string): text is `0x${string}` {
  return /^0x[0-9a-fA-F]{64}$/.test(text);
}

function repeatedNetworks(found: Found): readonly string[] {
  const indexes = listOf(found('chain', 'networks')).map((_, index) => index);
  return indexes.flatMap((index) =>
    ['network', 'chain_id'].flatMap((member) => {
      const valueOf = (at: number) => found('chain', 'networks', at, member);
      const isRepeated =
        valueOf(index) !== undefined && indexes.slice(0, index).some((at) => valueOf(at) === valueOf(index));
      return isRepeated ? [`chain.networks[${index}].${member}: is already configured.`] : [];
    }),
  );
}

/** Sources of one host fail together, so a quorum counts hosts. */
function sourceProblems(found: Found): readonly string[] {
  const members = objectOf(found('exchange', 'prices'));
  const isSource = ['url', 'urls', 'max_age_seconds', 'quorum', 'max_jump_bps', 'pairs'].some(
    (name) => name in members,
  );
  if (!isSource) return [];
  if ((members['url'] === undefined) === (members['urls'] === undefined))
    return ['exchange.prices: must name either url or urls.'];
  const hosts = hostsOf([members['url'], ...listOf(found('exchange', 'prices', 'urls'))]);
  const quorum = found('exchange', 'prices', 'quorum');
  return typeof quorum === 'number' && hosts > 0 && quorum > hosts
    ? [`exchange.prices.quorum: must be at most ${hosts}, the number of hosts of its sources.`]
    : [];
}

/** The number of different hosts, with their ports, among the URLs. */
export function hostsOf(urls: readonly unknown[]): number {
  return new Set(urls.flatMap((url) => (typeof url === 'string' && URL.canParse(url) ? [new URL(url).host] : []))).size;
}

/** Pairs must have a token of the chain leg. */
function unmovedPairs(found: Found): readonly string[] {
  const networks = listOf(found('chain', 'networks'));
  if (networks.length === 0) return [];
  // Names are compared without case: one in lower case is already reported as such.
  const assets = new Set(
    networks
      .flatMap((network) => [memberOf(network, 'native'), ...listOf(memberOf(network, 'tokens')).map(assetOf)])
      .map((asset) => String(asset).toUpperCase()),
  );
  const isUnmoved = (pair: string) => /^[A-Z0-9]{2,12}\/[A-Z]{3}$/.test(pair) && !assets.has(pair.split('/')[0] ?? '');
  const listed = listOf(found('exchange', 'prices', 'pairs'))
    .flatMap((pair) => (typeof pair === 'string' && isUnmoved(pair) ? [pair] : []))
    .map((pair) => `exchange.prices.pairs.${pair}: no network has this asset.`);
  const priced = Object.keys(objectOf(found('exchange', 'prices')))
    .filter(isUnmoved)
    .map((pair) => `exchange.prices.${pair}: no network has this asset.`);
  return [...listed, ...priced];
}

const SECRET_LENGTH_MIN = 16;

/** Exactly one of `secret_env` and `token_env` must be set, and its value must be long enough. */
function serviceProblems(place: 'identity' | 'screening', found: Found, environment: Environment): readonly string[] {
  const service = objectOf(found(place));
  if (service['type'] !== 'http') return [];
  const given = ['secret_env', 'token_env'].filter((member) => service[member] !== undefined);
  const [member] = given;
  if (member === undefined || given.length > 1) return [`${place}: must name either secret_env or token_env.`];
  const name = textOf(found(place, member));
  if (name === undefined) return [];
  const secret = environment[name] ?? '';
  return /^[!-~]+$/.test(secret) && secret.length >= SECRET_LENGTH_MIN
    ? []
    : [`${place}.${member}: ${name} must be set to at least ${SECRET_LENGTH_MIN} visible ASCII characters.`];
}

/** A key of another wallet would send from an address that is not monitored. */
function walletProblems(found: Found, environment: Environment): readonly string[] {
  const name = textOf(found('chain', 'wallet', 'private_key_env'));
  if (name === undefined) return [];
  const privateKey = environment[name] ?? '';
  if (!isPrivateKey(privateKey))
    return [`chain.wallet.private_key_env: ${name} must be set to "0x" and 64 hexadecimal digits.`];
  const actual = addressOf(privateKey);
  if (actual === null) return [`chain.wallet.private_key_env: ${name} is outside the range of private keys.`];
  const expected = textOf(found('chain', 'wallet', 'address'));
  return expected === undefined || actual.toLowerCase() === expected.toLowerCase()
    ? []
    : [`chain.wallet.address: ${name} is the key of ${actual}, not of ${expected}.`];
}

/** Null for zero and for numbers beyond the curve's order. */
function addressOf(privateKey: `0x${string}`): string | null {
  try {
    return privateKeyToAccount(privateKey).address;
  } catch {
    return null;
  }
}

/** A wrong key is reported by the name of its variable: it may be a secret one. */
function depositKeyProblems(found: Found, environment: Environment): readonly string[] {
  const name = textOf(found('chain', 'deposits', 'xpub_env'));
  if (name === undefined) return [];
  try {
    depositKeysOf(environment[name] ?? '');
    return [];
  } catch {
    return [
      `chain.deposits.xpub_env: ${name} must be set to the extended public key ("xpub…") of an account, m/44'/60'/0'.`,
    ];
  }
}

/** Stripe keys contain their mode. A key of the other mode would take real money for test tokens, or the reverse. */
function stripeProblems(found: Found, environment: Environment): readonly string[] {
  if (found('fiat', 'type') !== 'stripe') return [];
  const modes = [...new Set(listOf(found('modes') ?? ['live']))].filter((mode) => mode === 'test' || mode === 'live');
  const [mode] = modes;
  const [known, shown] = modes.length === 1 ? [`${mode}`, `${mode}`] : ['(test|live)', 'test'];
  const of = modes.length === 1 ? ` of ${mode} mode` : '';
  const isOf = (prefixes: string, key: string) => new RegExp(`^(${prefixes})_${known}_[A-Za-z0-9_]{4,}$`).test(key);
  const variable = (member: string, isRight: (value: string) => boolean, expected: string) => {
    const name = textOf(found('fiat', member));
    return name === undefined || isRight(environment[name] ?? '')
      ? []
      : [`fiat.${member}: ${name} must be set to ${expected}.`];
  };
  const publicKey = textOf(found('fiat', 'public_key'));
  return [
    ...(modes.length > 1
      ? ['modes: must contain one mode with fiat.type "stripe", because Stripe keys belong to one mode.']
      : []),
    ...variable('secret_key_env', (key) => isOf('sk|rk', key), `a secret key${of} ("sk_${shown}_…")`),
    ...variable('webhook_secret_env', (key) => /^whsec_\S{4,}$/.test(key), 'a signing secret ("whsec_…")'),
    ...(publicKey === undefined || isOf('pk', publicKey)
      ? []
      : [`fiat.public_key: must be a publishable key${of} ("pk_${shown}_…").`]),
  ];
}

const MAINNETS: ReadonlySet<unknown> = new Set(Object.values(EVM_NETWORKS).map(({ chainId }) => chainId));

/** Test cards would buy tokens that are worth money, and fake checks would let everyone buy them. */
function fakesOnMainnet(found: Found): readonly string[] {
  const networks = listOf(found('chain', 'networks'));
  const mainnet = networks.findIndex((_, index) => MAINNETS.has(found('chain', 'networks', index, 'chain_id')));
  if (mainnet === -1) return [];
  return ['fiat', 'identity', 'screening']
    .filter((leg) => found(leg, 'type') === 'fake')
    .map(
      (leg) =>
        `${leg}.type: "fake" is for test networks, and chain.networks[${mainnet}].chain_id is that of a mainnet, whose tokens are worth money.`,
    );
}

const assetOf = (token: unknown) => memberOf(token, 'asset');

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function memberOf(value: unknown, name: string): unknown {
  return objectOf(value)[name];
}

/** The members of an object; none for anything else. */
export function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}
