import { fc, test } from '@fast-check/vitest';
import { expect, it } from 'vitest';
import { readLegs } from '../src/legs/legs-file.js';

const SECRET = `0x${'5e'.repeat(32)}`;
const XPUB =
  'xpub6CUGRUonZSQ4TWtTMmzXdrXDtypWKiKrhko4egpiMZbpiaQL2jkwSB1icqYh2cfDfVxdx4df189oLKnC5fSwqPfgyP3hooxujYzAu3fDVmz';

const token = (asset: string) => ({ asset, address: `0x${'a'.repeat(40)}`, decimals: 6 });
const network = (name: string, chainId: number) => ({
  network: name,
  chain_id: chainId,
  rpc_urls: ['http://127.0.0.1:8545'],
  confirmations: 2,
  native: 'ETH',
  tokens: [token('USDC'), token('USDT')],
});

/** A right file and its environment. Created for each run, because the mistakes change it. */
function rightFile() {
  const file: unknown = {
    modes: ['test'],
    countries: ['DE'],
    fiat: {
      type: 'stripe',
      secret_key_env: 'STRIPE_KEY',
      webhook_secret_env: 'STRIPE_WEBHOOK_SECRET',
      public_key: 'pk_test_4eC39HqL',
      fee_bps: 10,
    },
    exchange: { type: 'fixed_spread', spread_bps: 50, prices: { 'USDC/EUR': '0.92', 'ETH/EUR': '3000.00' } },
    chain: {
      type: 'evm',
      wallet: { private_key_env: 'GATE_WALLET_KEY', max_per_send: { USDC: '20000' } },
      deposits: { xpub_env: 'GATE_DEPOSIT_XPUB' },
      networks: [network('base', 31337), network('other', 31338)],
    },
    identity: { type: 'http', url: 'https://identity.example', secret_env: 'GATE_IDENTITY' },
    screening: { type: 'http', url: 'https://screening.example', token_env: 'GATE_SCREENING' },
  };
  const environment: Record<string, string> = {
    STRIPE_KEY: 'sk_test_4eC39HqL',
    STRIPE_WEBHOOK_SECRET: 'whsec_4eC39HqL',
    GATE_WALLET_KEY: `0x${'11'.repeat(32)}`,
    GATE_DEPOSIT_XPUB: XPUB,
    GATE_IDENTITY: 'i'.repeat(32),
    GATE_SCREENING: 's'.repeat(32),
  };
  return { file, environment };
}

interface Mistake {
  /** The position of the value that is replaced; the mistakes of one run concern different values. */
  readonly at: string;
  readonly value?: unknown;
  /** The environment variable that is set instead. */
  readonly variable?: string;
  /** The problem that names it, up to its explanation. */
  readonly problem: string;
}

const MISTAKES: readonly Mistake[] = [
  { at: 'modes.0', value: 'sandbox', problem: 'modes[0]: must be' },
  { at: 'countries.0', value: 'de', problem: 'countries[0]: must be' },
  { at: 'fiat.type', value: 'paypal', problem: 'fiat.type: must be "fake" or "stripe"' },
  { at: 'fiat.fee_bps', value: 1.5, problem: 'fiat.fee_bps: must be a whole number' },
  { at: 'fiat.colour', value: 'red', problem: 'fiat: has unknown members: colour' },
  { at: 'fiat.secret_key_env', value: SECRET, problem: 'fiat.secret_key_env: must be the name of' },
  { at: 'fiat.webhook_secret_env', variable: 'STRIPE_WEBHOOK_SECRET', problem: 'fiat.webhook_secret_env: STRIPE_' },
  { at: 'exchange.type', value: 'auction', problem: 'exchange.type: must be' },
  { at: 'exchange.spread_bps', value: -1, problem: 'exchange.spread_bps: ' },
  { at: 'exchange.prices.USDC/EUR', value: '0', problem: 'exchange.prices.USDC/EUR: must be above zero' },
  { at: 'exchange.prices.ETH/EUR', value: '1e3', problem: 'exchange.prices.ETH/EUR: must be a decimal' },
  { at: 'exchange.prices.DOGE/EUR', value: '1', problem: 'exchange.prices.DOGE/EUR: no network has this asset' },
  { at: 'exchange.prices.eth', value: '1', problem: 'exchange.prices.eth: must be a pair' },
  { at: 'chain.type', value: 'solana', problem: 'chain.type: must be "evm"' },
  { at: `chain.wallet.${SECRET}`, value: 1, problem: 'chain.wallet: has unknown members: (a name of 66' },
  { at: 'chain.wallet.private_key_env', variable: 'GATE_WALLET_KEY', problem: 'chain.wallet.private_key_env: GATE_' },
  { at: 'chain.wallet.max_per_send.USDC', value: '-1', problem: 'chain.wallet.max_per_send.USDC: must be' },
  { at: `chain.wallet.max_per_send.${SECRET}`, value: '1', problem: 'chain.wallet.max_per_send.(a name of 66' },
  { at: 'chain.deposits.xpub_env', variable: 'GATE_DEPOSIT_XPUB', problem: 'chain.deposits.xpub_env: GATE_' },
  { at: 'chain.networks.0.rpc_urls.0', value: SECRET, problem: 'chain.networks[0].rpc_urls[0]: must be' },
  { at: 'chain.networks.0.tokens.1.decimals', value: 99, problem: 'chain.networks[0].tokens[1].decimals: ' },
  { at: 'chain.networks.1.network', value: 'base', problem: 'chain.networks[1].network: is already' },
  { at: 'chain.networks.1.chain_id', value: 31337, problem: 'chain.networks[1].chain_id: is already' },
  { at: 'chain.networks.1.fees', value: 'eip4844', problem: 'chain.networks[1].fees: must be' },
  { at: 'identity.type', value: 'clairvoyant', problem: 'identity.type: must be' },
  { at: 'identity.url', value: 'http://identity.example', problem: 'identity.url: must be https' },
  { at: 'screening.token_env', variable: 'GATE_SCREENING', problem: 'screening.token_env: GATE_SCREENING' },
  { at: 'screening.timeout_seconds', value: 60, problem: 'screening.timeout_seconds: must be' },
  { at: 'colour', value: 'red', problem: 'the file: has unknown members: colour' },
];

function plant({ file, environment }: ReturnType<typeof rightFile>, { at, value, variable }: Mistake): void {
  if (variable !== undefined) {
    environment[variable] = SECRET.slice(0, 9);
    return;
  }
  const steps = at.split('.');
  const last = steps.pop() ?? '';
  const parent = steps.reduce<unknown>((part, step) => Reflect.get(Object(part), step), file);
  Reflect.set(Object(parent), last, value);
}

function problemsWith(mistakes: readonly Mistake[]): readonly string[] {
  const right = rightFile();
  for (const mistake of mistakes) plant(right, mistake);
  return readLegs(JSON.stringify(right.file), right.environment).problems;
}

it('a right file has no problem', () => {
  expect(problemsWith([])).toEqual([]);
});

it.each(MISTAKES)('the mistake at $at is named with its position', (mistake) => {
  expect(problemsWith([mistake])).toEqual([expect.stringContaining(mistake.problem)]);
});

/** What the variable of a section must contain is known only with its type. */
const needsType = (mistake: Mistake) => mistake.variable?.startsWith('STRIPE_') === true;

test.prop([fc.subarray([...MISTAKES])])(
  'every combination of mistakes is named completely, without a secret',
  (planted) => {
    const isTyped = !planted.some(({ at }) => at === 'fiat.type');
    const named = planted.filter((mistake) => isTyped || !needsType(mistake));
    const problems = problemsWith(planted);
    for (const { problem } of named) expect(problems).toContainEqual(expect.stringContaining(problem));
    expect(problems).toHaveLength(named.length);
    expect(problems.join('\n')).not.toContain(SECRET.slice(0, 9));
  },
);
