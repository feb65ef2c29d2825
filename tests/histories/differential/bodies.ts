import { SANDBOX_CARDS, SANDBOX_IBANS } from '@gateramp/adapters-provider-sandbox';
import type { Flow } from '@gateramp/core/domain';
import fc from 'fast-check';
import type { Attempt, Members, Query } from './command.js';

/** Text of every kind that JSON allows, including text that the contract refuses. */
const anyText = fc.oneof(
  fc.constantFrom(
    'ada',
    'Ada',
    'ADA ',
    'λ',
    'straße',
    '日本',
    '\u{1f600}',
    'é',
    'e\u0301',
    '\u0000',
    '\ud800',
    '',
    ' ',
    '%',
    '_',
    "'",
    '"',
    '\\',
    '__proto__',
  ),
  fc.string({ unit: 'binary', maxLength: 8 }),
);

const USERS = ['ada', 'Ada', 'grace', 'λ ☃', '%'];
const AMOUNTS = [
  '100.00',
  '100',
  '25.5',
  '14.50',
  '17.00',
  '17.80',
  '1.00',
  '10000.00',
  '0.99',
  '10000.01',
  '0.10',
  '99.12345678',
];
const CURRENCIES = ['EUR', 'EUR', 'EUR', 'USD', 'eur', 'GBP'];
const FLOWS: readonly Flow[] = ['on_ramp', 'off_ramp', 'swap'];
const WALLETS = [
  '0x52908400098527886E0F7030069857D2E4169EE7',
  '0x00000000000000000000000000000000000000aa',
  '0x000000000000000000000000000000000dead0001'.slice(0, 42),
  '0x00000000000000000000000000000000deaD0001',
  '0x12',
  'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq',
  '',
];
/** The sandbox executes trades to the first address, and none to the second. */
const POOL_WALLETS = [`0x${'0'.repeat(38)}aa`, `0x${'0'.repeat(32)}dead0001`] as const;
const URLS = [
  'https://shop.example/done',
  'https://shop.example/done?a=1&b=%20#x',
  'https://rival.example/',
  'https://shop.example:443/',
  'HTTPS://SHOP.EXAMPLE/x',
  'https://evil.example/',
  'http://shop.example/',
  'http://localhost:3000/',
  'https://user@shop.example/',
  'https:shop.example',
  'javascript:alert(1)',
  '//shop.example',
  '',
];

/** Mostly valid members. Optional ones may be missing, and each is sometimes any other value. */
function mostly(
  members: Readonly<Record<string, fc.Arbitrary<unknown>>>,
  required: readonly string[] = [],
): fc.Arbitrary<Members> {
  const bent = Object.entries(members).map(([name, right]): [string, fc.Arbitrary<unknown>] => [
    name,
    fc.oneof(
      { weight: 40, arbitrary: right },
      { weight: 1, arbitrary: fc.oneof(fc.jsonValue({ maxDepth: 2 }), anyText) },
    ),
  ]);
  return fc.record(Object.fromEntries(bent), { requiredKeys: [...required] });
}

const mainly = <Value>(first: Value, ...others: readonly Value[]): fc.Arbitrary<Value> =>
  fc.oneof({ weight: 9, arbitrary: fc.constant(first) }, { weight: 1, arbitrary: fc.constantFrom(first, ...others) });

const metadata = fc.oneof(
  fc.constantFrom<unknown>({}, { order: '42' }, { z: 1, a: { b: [1.5, -0, 1e21, true, null] }, 10: 'ten', 9: 'nine' }),
  fc.dictionary(anyText, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 }),
);

export const createBodies: fc.Arbitrary<Members> = mostly(
  {
    amount: mainly('100.00', ...AMOUNTS),
    currency: fc.constantFrom(...CURRENCIES),
    return_url: mainly('https://shop.example/done', ...URLS),
    cancel_url: fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom(null, 'https://shop.example/cart') },
      { weight: 1, arbitrary: fc.constantFrom(...URLS) },
    ),
    flow: fc.constantFrom('on_ramp', 'on_ramp', 'off_ramp', 'swap', null),
    target_token: fc.constantFrom(null, null, null, 'USDC', 'ETH', 'usdc', 'DOGE'),
    target_network: fc.constantFrom(null, null, null, 'base', 'ethereum'),
    wallet_address: fc.oneof(
      { weight: 6, arbitrary: fc.constant(null) },
      { weight: 1, arbitrary: fc.constantFrom(...WALLETS) },
    ),
    user_reference: fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...USERS) }, { weight: 1, arbitrary: anyText }),
    kyc_package: fc.oneof(
      { weight: 8, arbitrary: fc.constant(null) },
      {
        weight: 1,
        arbitrary: fc.record({ provider: fc.constantFrom('idv', 'IDV ☃'), data: fc.jsonValue({ maxDepth: 2 }) }),
      },
    ),
    metadata,
  },
  ['amount', 'currency', 'return_url'],
);

const CARDS = [...Object.values(SANDBOX_CARDS), '4000000000000119', '1'];

export const attempts: fc.Arbitrary<Attempt> = fc.record({
  flow: fc.constantFrom(...FLOWS),
  card: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(SANDBOX_CARDS.succeeds, SANDBOX_CARDS.needsAuthentication) },
    { weight: 2, arbitrary: fc.constantFrom(...CARDS) },
  ),
  saving: fc.oneof(
    { weight: 4, arbitrary: fc.constant(false) },
    { weight: 2, arbitrary: fc.constant(true) },
    { weight: 1, arbitrary: fc.nat(2) },
  ),
  quote: fc.oneof({ weight: 5, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: fc.nat(3) }),
  changes: fc.oneof(
    { weight: 6, arbitrary: fc.constant({}) },
    {
      weight: 1,
      arbitrary: mostly({
        amount: fc.constantFrom(...AMOUNTS),
        currency: fc.constantFrom(...CURRENCIES),
        flow: fc.constantFrom(...FLOWS),
        payment_method: fc.constantFrom('card', 'bank_transfer', 'crypto', null),
        country_code: fc.constantFrom('DE', 'us', 'FR', null),
        target_token: fc.constantFrom('USDC', 'ETH', null),
        wallet_address: fc.constantFrom(...WALLETS, null),
        refund_address: fc.constantFrom(...WALLETS, null),
        quote_id: fc.constantFrom('quote_unknown', null),
        payout_details: fc.constantFrom({ type: 'iban', iban: SANDBOX_IBANS.rejects, account_holder: 'Ada' }, null),
      }),
    },
  ),
});

const ASK_FIELDS = {
  side: mainly('on_ramp', 'off_ramp'),
  currency: fc.constantFrom(...CURRENCIES),
  asset: fc.constantFrom('USDC', 'USDC', 'eth', 'DOGE'),
  network: fc.constantFrom(null, null, 'base', 'ETHEREUM', 'solana'),
  amount: mainly('100.00', ...AMOUNTS),
  country_code: mainly('DE', 'us', 'FR'),
};

const ASK_REQUIRED = ['side', 'currency', 'asset', 'amount', 'country_code'];

/** Quote requests of a partner's server. Swaps also have a source. */
export const asks: fc.Arbitrary<Members> = fc.oneof(
  { weight: 4, arbitrary: mostly(ASK_FIELDS, ASK_REQUIRED) },
  {
    weight: 1,
    arbitrary: mostly(
      {
        ...ASK_FIELDS,
        side: mainly('swap', 'on_ramp'),
        source_asset: fc.constantFrom('ETH', 'usdc', null),
        source_network: fc.constantFrom('ethereum', null),
      },
      ASK_REQUIRED,
    ),
  },
);

const fixedAsksOfAnyKind = fc
  .tuple(asks, fc.constantFrom('bank_transfer', 'bank_transfer', 'card', 'crypto', 'cash'))
  .map(([ask, method]): Members => ({ ...ask, payment_method: method }));

/** Bodies of executable quotes. Half of them can be executed over rails. */
export const fixedAsks: fc.Arbitrary<Members> = fc.oneof(
  fixedAsksOfAnyKind,
  fc.constantFrom('on_ramp', 'off_ramp').map((side): Members => ({
    side,
    currency: 'EUR',
    asset: 'USDC',
    amount: '100.00',
    country_code: 'DE',
    payment_method: 'bank_transfer',
  })),
);

/** The members of a pay-in or pay-out in addition to its quote, mostly none. */
export const takeUps: fc.Arbitrary<Members> = fc.oneof(
  { weight: 8, arbitrary: fc.constant({}) },
  {
    weight: 1,
    arbitrary: mostly({
      user_reference: fc.constantFrom(...USERS),
      metadata,
      wallet_address: fc.constantFrom(...WALLETS),
      refund_address: fc.constantFrom(...WALLETS),
      beneficiary: fc.constantFrom({ type: 'iban', iban: SANDBOX_IBANS.rejects, account_holder: 'Ada' }, null),
    }),
  },
);

/** Quote requests to pools, mostly for the asset of one of the two. Some amounts soon exceed the balance. */
export const poolAsks: fc.Arbitrary<Members> = mostly(
  {
    side: mainly('on_ramp', 'off_ramp'),
    asset: fc.constantFrom('USDC', 'USDC', 'ETH', 'usdc'),
    network: mainly('base', 'ethereum'),
    amount: fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom('40.00', '60.5', '99.99') },
      { weight: 1, arbitrary: fc.constantFrom(...AMOUNTS) },
    ),
    currency: mainly('EUR', ...CURRENCIES),
    destAddress: mainly(POOL_WALLETS[0], ...POOL_WALLETS, ...WALLETS),
  },
  ['side', 'asset', 'network', 'amount', 'currency', 'destAddress'],
);

/** Members of a trade that differ from its quote, mostly none. */
export const executions: fc.Arbitrary<Members> = fc.oneof(
  { weight: 10, arbitrary: fc.constant({}) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Members>(
      { destAddress: POOL_WALLETS[1] },
      { quoteId: '0'.repeat(24) },
      { quoteId: '' },
      { amount: '1' },
    ),
  },
);

export const brandings: fc.Arbitrary<Members> = mostly({
  display_name: fc.constantFrom('Acme', 'λ ☃', '\u{1f600}'.repeat(60), null),
  logo_url: fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom('https://cdn.example/logo.svg', null) },
    { weight: 1, arbitrary: fc.constantFrom(...URLS) },
  ),
  accent_color: fc.constantFrom('#1a2b3c', '#ABCDEF', null),
  theme: fc.constantFrom('light', 'dark', null),
  support_url: fc.constantFrom('https://help.example/?a=%20', null),
});

export const confirmations: fc.Arbitrary<Members | 'what it asks for'> = fc.oneof(
  { weight: 5, arbitrary: fc.constant('what it asks for' as const) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Members>(
      { action: 'payment_authentication', code: '111111' },
      { action: 'crypto_deposit' },
      {
        action: 'kyc',
        kyc: { first_name: 'Ada', last_name: 'L', date_of_birth: '1990-02-28', document_number: 'REJECT' },
      },
      { action: 'kyc', kyc: { first_name: 'Ada', last_name: 'L', date_of_birth: '1990-02-30', document_number: '' } },
      { action: 'pray' },
    ),
  },
);

/** A valid value, and sometimes one that the contract refuses. */
const oftenValid = (valid: readonly string[], invalid: readonly string[]): fc.Arbitrary<string> =>
  fc.oneof({ weight: 12, arbitrary: fc.constantFrom(...valid) }, { weight: 1, arbitrary: fc.constantFrom(...invalid) });

const limits = oftenValid(['1', '2', '3', '10', '100'], ['0', '101', '-1', '1.5', ' 2', '']);
const flows = oftenValid(FLOWS, ['other']);
const times = oftenValid(
  ['2030-01-01', '2030-01-01T00:00:00Z', '2030-01-01T12:00:00+01:00', '2030-01-02T00:00:00.001Z'],
  ['2030-02-30', 'yesterday', '1e3'],
);
const users = fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...USERS) }, { weight: 1, arbitrary: anyText });

export const sessionQueries = queries({
  flow: flows,
  user_reference: users,
  status: oftenValid(['open', 'open', 'expired', 'cancelled', 'completed'], ['gone', '']),
  currency: oftenValid(['EUR', 'usd', 'USD'], ['EURO']),
});

export const transactionQueries = queries({
  flow: flows,
  user_reference: users,
  status: oftenValid(['pending', 'processing', 'completed', 'failed', 'refunded', 'charged_back'], ['gone', '']),
  session_id: fc.constantFrom('0'.repeat(24), 'x'),
});

export const eventQueries = queries({
  type: oftenValid(
    ['gate_session.created', 'gate_session.created', 'gate_session.failed', 'gate_session.expired', 'kyc.required'],
    ['gate_session', ''],
  ),
  session_id: fc.constantFrom('0'.repeat(24), 'x'),
});

const EVENT_TYPES = ['gate_session.created', 'gate_session.completed', 'webhook.test'];
const NO_EVENT_TYPE = 'nothing.happened';

export const deliveryQueries = queries({
  status: oftenValid(['pending', 'retrying', 'delivered', 'dead_lettered', 'dead_lettered'], ['gone', '']),
  event_type: oftenValid(EVENT_TYPES, [NO_EVENT_TYPE, '']),
  event_id: fc.constantFrom('x', '00000000-0000-4000-8000-000000000000'),
  session_id: fc.constantFrom('0'.repeat(24), 'x'),
});

export const replayBodies: fc.Arbitrary<Members> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom<Members>({}, { limit: 1 }, { limit: 2 }, { limit: 1000 }) },
  {
    weight: 2,
    arbitrary: fc.oneof(
      fc.constantFrom(...EVENT_TYPES, NO_EVENT_TYPE).map((type): Members => ({ event_type: type })),
      times.map((time): Members => ({ created_after: time })),
      fc.constantFrom<Members>(
        { limit: 0 },
        { limit: 1001 },
        { limit: '1' },
        { session_id: 'x' },
        { status: 'pending' },
      ),
    ),
  },
);

export const rotations: fc.Arbitrary<Members> = fc
  .constantFrom<unknown>(0, 60, 3_600, 86_400, 86_401, -1, '60', null)
  .map((seconds): Members => ({ grace_period_seconds: seconds }));

export const railQueries = queries({});

export const tradeQueries = queries({ status: fc.constant('completed') }, ['cursor']);

type CursorName = NonNullable<Query['cursor']>['name'];

/** Queries with a few of the filters. With all of them, nothing would be found or every query refused. */
function queries(
  own: Readonly<Record<string, fc.Arbitrary<string>>>,
  cursors: readonly CursorName[] = ['starting_after', 'ending_before'],
): fc.Arbitrary<Query> {
  const all = Object.entries({
    ...own,
    limit: limits,
    created_after: times,
    created_before: times,
    offset: fc.constant('1'),
  });
  const one = fc.oneof(
    ...all.map(([name, value]) => ({
      weight: name === 'offset' ? 1 : 6,
      arbitrary: value.map((text): [string, string] => [name, text]),
    })),
  );
  const cursor = fc.record({
    name: fc.constantFrom(...cursors),
    of: fc.oneof(
      { weight: 6, arbitrary: fc.constant('own' as const) },
      { weight: 1, arbitrary: fc.constantFrom('any' as const, 'nobody' as const) },
    ),
    nth: fc.nat(30),
  });
  return fc.record({
    filters: fc.array(one, { maxLength: 3, size: 'max' }).map((some): Members => Object.fromEntries(some)),
    cursor: fc.oneof(fc.constant(null), cursor),
  });
}
