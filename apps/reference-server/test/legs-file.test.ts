import { describe, expect, it } from 'vitest';
import { readLegs } from '../src/legs/legs-file.js';

const KEY = `0x${'11'.repeat(32)}`;
const ADDRESS = '0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A';
const XPUB =
  'xpub6CUGRUonZSQ4TWtTMmzXdrXDtypWKiKrhko4egpiMZbpiaQL2jkwSB1icqYh2cfDfVxdx4df189oLKnC5fSwqPfgyP3hooxujYzAu3fDVmz';
const ENVIRONMENT = { GATE_WALLET_KEY: KEY, GATE_DEPOSIT_XPUB: XPUB };

const NETWORK = {
  network: 'base',
  chain_id: 31337,
  rpc_urls: ['http://127.0.0.1:8545'],
  confirmations: 2,
  tx_url: 'https://explorer.example/tx/{hash}',
  native: 'ETH',
  tokens: [{ asset: 'USDC', address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', decimals: 6 }],
};

const FILE = {
  modes: ['test'],
  fiat: { type: 'fake' },
  exchange: { type: 'fixed_spread', spread_bps: 50, prices: { 'USDC/EUR': '0.92', 'ETH/EUR': '3000.00' } },
  chain: {
    type: 'evm',
    wallet: { private_key_env: 'GATE_WALLET_KEY', max_per_send: { USDC: '20000' }, max_per_day: { USDC: '100000' } },
    deposits: { xpub_env: 'GATE_DEPOSIT_XPUB', own_addresses: [ADDRESS] },
    networks: [NETWORK],
  },
  identity: null,
  screening: null,
};

const problemsOf = (file: object, environment: Readonly<Record<string, string>> = ENVIRONMENT) =>
  readLegs(JSON.stringify(file), environment).problems;

describe('a legs file', () => {
  it('is read with the secrets that its variables hold', () => {
    const { legs, problems, variables } = readLegs(JSON.stringify(FILE), ENVIRONMENT);
    expect(problems).toEqual([]);
    expect(variables).toEqual(['GATE_WALLET_KEY', 'GATE_DEPOSIT_XPUB']);
    expect(legs?.chain.wallet.privateKey).toBe(KEY);
    expect(legs?.chain.deposits).toEqual({ xpub: XPUB, ownAddresses: [ADDRESS] });
  });

  it('takes the key of the wallet that it names, and no other', () => {
    const withAddress = (address: string) => ({
      ...FILE,
      chain: { ...FILE.chain, wallet: { ...FILE.chain.wallet, address } },
    });
    expect(problemsOf(withAddress(ADDRESS))).toEqual([]);
    expect(problemsOf(withAddress(`0x${'1'.repeat(40)}`))).toEqual([
      `chain.wallet.address: GATE_WALLET_KEY is the key of ${ADDRESS}, not of 0x${'1'.repeat(40)}.`,
    ]);
  });

  it('takes the deposit key of an account, and no other', () => {
    // Master key and private key of test vector 1 of BIP 32.
    const master =
      'xpub661MyMwAqRbcFtXgS5sYJABqqG9YLmC4Q1Rdap9gSE8NqtwybGhePY2gZ29ESFjqJoCu1Rupje8YtGqsefD265TMg7usUDFdp6W1EGMcet8';
    const secret =
      'xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChkVvvNKmPGJxWUtg6LnF5kejMRNNU3TGtRBeJgk33yuGBxrMPHi';
    for (const key of [master, secret, `${XPUB}1`, '']) {
      expect(problemsOf(FILE, { ...ENVIRONMENT, GATE_DEPOSIT_XPUB: key })).toEqual([
        `chain.deposits.xpub_env: GATE_DEPOSIT_XPUB must be set to the extended public key ("xpub…") of an account, m/44'/60'/0'.`,
      ]);
    }
  });

  it.each([1, 8453, 42161, 137])('refuses test cards and fake checks on the mainnet with chain id %i', (chainId) => {
    const chain = { ...FILE.chain, networks: [NETWORK, { ...NETWORK, network: 'mainnet', chain_id: chainId }] };
    const fake = { type: 'fake' };
    const problem = (leg: string) =>
      `${leg}.type: "fake" is for test networks, and chain.networks[1].chain_id is that of a mainnet, whose tokens are worth money.`;
    expect(problemsOf({ ...FILE, chain })).toEqual([problem('fiat')]);
    expect(problemsOf({ ...FILE, chain, identity: fake, screening: fake })).toEqual(
      ['fiat', 'identity', 'screening'].map(problem),
    );
    expect(problemsOf({ ...FILE, identity: fake, screening: fake })).toEqual([]);
  });

  it('names every problem at once, with its place', () => {
    const chain = {
      ...FILE.chain,
      networks: [{ ...NETWORK, chain_id: 0, tokens: [{ ...NETWORK.tokens[0], decimals: 99 }] }],
    };
    expect(problemsOf({ ...FILE, modes: ['sandbox'], fiat: { type: 'paypal' }, chain })).toEqual([
      'modes[0]: must be "test" or "live".',
      'fiat.type: must be "fake" or "stripe".',
      expect.stringContaining('chain.networks[0].chain_id: '),
      expect.stringContaining('chain.networks[0].tokens[0].decimals: '),
    ]);
  });

  it('refuses a key that was pasted into it, and quotes it nowhere', () => {
    const pasted = { ...FILE, chain: { ...FILE.chain, wallet: { ...FILE.chain.wallet, private_key: KEY } } };
    const asName = { ...FILE, chain: { ...FILE.chain, wallet: { private_key_env: KEY } } };
    for (const file of [pasted, asName]) {
      const problems = problemsOf(file);
      expect(problems).toHaveLength(1);
      expect(problems.join()).not.toContain(KEY);
    }
  });

  it('says which variable is missing or holds no key', () => {
    expect(problemsOf(FILE, {})).toEqual([
      'chain.wallet.private_key_env: GATE_WALLET_KEY must be set to "0x" and 64 hexadecimal digits.',
      `chain.deposits.xpub_env: GATE_DEPOSIT_XPUB must be set to the extended public key ("xpub…") of an account, m/44'/60'/0'.`,
    ]);
  });

  describe('with Stripe', () => {
    const fiat = {
      type: 'stripe',
      secret_key_env: 'STRIPE_KEY',
      webhook_secret_env: 'STRIPE_WEBHOOK_SECRET',
      public_key: 'pk_test_4eC39HqL',
    };
    const secrets = { STRIPE_KEY: 'sk_test_4eC39HqL', STRIPE_WEBHOOK_SECRET: 'whsec_4eC39HqL' };

    it('is read with the keys that its variables hold', () => {
      const { legs, problems, variables } = readLegs(JSON.stringify({ ...FILE, fiat }), { ...ENVIRONMENT, ...secrets });
      expect(problems).toEqual([]);
      expect(variables).toEqual(['STRIPE_KEY', 'STRIPE_WEBHOOK_SECRET', 'GATE_WALLET_KEY', 'GATE_DEPOSIT_XPUB']);
      expect(legs?.fiat).toEqual({
        type: 'stripe',
        secretKey: secrets.STRIPE_KEY,
        webhookSecret: secrets.STRIPE_WEBHOOK_SECRET,
        publicKey: fiat.public_key,
        feeBps: 0,
        apiUrl: null,
      });
    });

    it('refuses keys that are missing or of the other mode, all at once, and quotes none', () => {
      const wrong = { STRIPE_KEY: 'sk_live_4eC39HqL', STRIPE_WEBHOOK_SECRET: '' };
      const problems = problemsOf(
        { ...FILE, fiat: { ...fiat, public_key: 'sk_test_pasted' } },
        { ...ENVIRONMENT, ...wrong },
      );
      expect(problems).toEqual([
        'fiat.secret_key_env: STRIPE_KEY must be set to a secret key of test mode ("sk_test_…").',
        'fiat.webhook_secret_env: STRIPE_WEBHOOK_SECRET must be set to a signing secret ("whsec_…").',
        'fiat.public_key: must be a publishable key of test mode ("pk_test_…").',
      ]);
    });

    it('refuses both modes at once, unknown members, and an API that is not on this machine', () => {
      const environment = { ...ENVIRONMENT, ...secrets };
      expect(problemsOf({ ...FILE, modes: ['test', 'live'], fiat }, environment)).toEqual([
        'modes: must contain one mode with fiat.type "stripe", because Stripe keys belong to one mode.',
      ]);
      const pasted = { ...fiat, secret_key: 'sk_test_pasted', api_url: 'https://stripe.example' };
      const problems = problemsOf({ ...FILE, fiat: pasted }, environment);
      expect(problems).toEqual([
        'fiat.api_url: must be http on this machine, with a port.',
        expect.stringContaining('secret_key'),
      ]);
      expect(problems.join()).not.toContain('sk_test_pasted');
    });
  });

  it('refuses two networks of one name or chain, and prices of what no network moves', () => {
    const chain = { ...FILE.chain, networks: [NETWORK, NETWORK] };
    const exchange = { ...FILE.exchange, prices: { 'BTC/EUR': '60000', 'USDC/EUR': '0' } };
    expect(problemsOf({ ...FILE, chain, exchange })).toEqual([
      'exchange.prices.USDC/EUR: must be above zero.',
      'chain.networks[1].network: is already configured.',
      'chain.networks[1].chain_id: is already configured.',
      'exchange.prices.BTC/EUR: no network has this asset.',
    ]);
  });

  it.each([
    [{ url: 'https://a.example/', urls: ['https://b.example/'] }, 'exchange.prices: must name either url or urls.'],
    [{}, 'exchange.prices: must name either url or urls.'],
    [{ urls: [] }, 'exchange.prices.urls: must name at least one source.'],
    [{ urls: ['https://a.example/', 'ftp://b.example/'] }, 'exchange.prices.urls[1]: must be an http or https URL.'],
    [{ urls: ['https://a.example/', 'https://a.example/'] }, 'exchange.prices.urls: must not repeat a source.'],
    [
      { urls: ['https://a.example/1', 'https://a.example/2'], quorum: 2 },
      'exchange.prices.quorum: must be at most 1, the number of hosts of its sources.',
    ],
    [{ url: 'https://a.example/', quorom: 2 }, 'exchange.prices: has unknown members: quorom.'],
    [{ url: 'https://a.example/', max_jump_bps: 0 }, expect.stringContaining('exchange.prices.max_jump_bps: ')],
  ])('refuses the price sources %j', (prices, problem) => {
    const exchange = { ...FILE.exchange, prices: { max_age_seconds: 60, ...prices } };
    expect(problemsOf({ ...FILE, exchange })).toEqual([problem]);
  });

  it('takes several price sources and a quorum', () => {
    const urls = ['https://a.example/', 'https://b.example/', 'https://c.example/'];
    const prices = { urls, quorum: 2, max_age_seconds: 60, max_jump_bps: 500, pairs: ['USDC/EUR'] };
    expect(problemsOf({ ...FILE, exchange: { ...FILE.exchange, prices } })).toEqual([]);
  });

  it('names the pairs of a price source, of which each must have a network', () => {
    const priced = (pairs: readonly string[]) => {
      const prices = { url: 'https://prices.example/', max_age_seconds: 60, pairs };
      return problemsOf({ ...FILE, exchange: { ...FILE.exchange, prices } });
    };
    expect(priced(['USDC/EUR'])).toEqual([]);
    expect(priced(['BTC/EUR'])).toEqual(['exchange.prices.pairs.BTC/EUR: no network has this asset.']);
  });

  it('points identity and screening at services, with a secret or a token from a variable', () => {
    const service = { type: 'http', url: 'https://checks.example/screen' };
    const environment = { ...ENVIRONMENT, GATE_SCREENING_SECRET: 's'.repeat(32), GATE_KYC_TOKEN: 't'.repeat(32) };
    const file = {
      ...FILE,
      identity: { ...service, token_env: 'GATE_KYC_TOKEN', timeout_seconds: 2 },
      screening: { ...service, secret_env: 'GATE_SCREENING_SECRET' },
    };
    const { legs, variables } = readLegs(JSON.stringify(file), environment);
    expect(legs?.screening).toMatchObject({ credential: { kind: 'hmac', secret: 's'.repeat(32) } });
    expect(legs?.identity).toMatchObject({ credential: { kind: 'bearer', token: 't'.repeat(32) }, timeoutMs: 2_000 });
    expect(variables).toEqual(['GATE_WALLET_KEY', 'GATE_DEPOSIT_XPUB', 'GATE_KYC_TOKEN', 'GATE_SCREENING_SECRET']);
  });

  it.each([
    [{ type: 'http', url: 'https://checks.example' }, {}, 'screening: must name either secret_env or token_env.'],
    [
      { type: 'http', url: 'https://checks.example', secret_env: 'GATE_S', token_env: 'GATE_T' },
      {},
      'screening: must name either secret_env or token_env.',
    ],
    [
      { type: 'http', url: 'http://checks.example', secret_env: 'GATE_S' },
      { GATE_S: 's'.repeat(16) },
      'screening.url: must be https, or http on this machine.',
    ],
    [
      { type: 'http', url: 'https://checks.example', secret_env: 'GATE_S' },
      { GATE_S: 'short' },
      'screening.secret_env: GATE_S must be set to at least 16 visible ASCII characters.',
    ],
    [{ type: 'chainalysis' }, {}, 'screening.type: must be null, {"type": "fake"} or {"type": "http", …}.'],
  ])('refuses the screening %j', (screening, environment, problem) => {
    expect(problemsOf({ ...FILE, screening }, { ...ENVIRONMENT, ...environment })).toEqual([problem]);
  });
});
