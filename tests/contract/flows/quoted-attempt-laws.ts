import assert from 'node:assert/strict';
import { sandboxProvider } from '@gateramp/adapters-provider-sandbox';
import {
  anonymousToken,
  attempt,
  buyer,
  CARD,
  expectRefusal,
  expectStatus,
  failedFields,
  httpLaw,
  type HttpSubject,
  type HttpWorld,
  type Law,
  type Members,
  membersOf,
  PAYOUT,
  simulate,
  textOf,
  WALLET,
} from '../kit.js';
import { begin, readTransaction } from './scene.js';

const TOPIC = 'HTTP: quotes taken up, and terms filled in';

const TERMS = ['source_token', 'source_network', 'target_token', 'target_network', 'payment_method'] as const;

const AMOUNT = { amount: '100.00', currency: 'EUR' } as const;

/** A body that leaves everything to the quote or the provider. */
const OPEN: Readonly<Record<string, Members>> = {
  on_ramp: { ...AMOUNT, flow: 'on_ramp', wallet_address: WALLET, payment_details: CARD },
  off_ramp: { ...AMOUNT, flow: 'off_ramp', refund_address: WALLET, payout_details: PAYOUT },
  swap: { ...AMOUNT, flow: 'swap', wallet_address: WALLET, refund_address: WALLET },
};

const INTENT_TERMS = { ...AMOUNT, flow: 'on_ramp' } as const;

async function quotesOf(world: HttpWorld, token: string, body: Members): Promise<readonly Members[]> {
  const { quotes } = expectStatus(
    await world.send('POST', '/v1/embed/quotes', { token, body: { ...AMOUNT, ...body } }),
    200,
  ).json;
  assert.ok(Array.isArray(quotes));
  return quotes.map(membersOf);
}

async function quoteOf(world: HttpWorld, token: string, body: Members): Promise<Members> {
  const [first] = await quotesOf(world, token, body);
  assert.ok(first !== undefined);
  return first;
}

function askOpen(world: HttpWorld, token: string, body: Members) {
  return world.send('POST', '/v1/embed/intents', { token, body });
}

interface Fixing {
  readonly flow: 'on_ramp' | 'off_ramp' | 'swap';
  readonly quoted: Members;
  /** The resulting members of the intent: tokens, networks and method. */
  readonly fixed: readonly (string | null)[];
  /** Each differs from the quoted terms. */
  readonly others: readonly Members[];
}

const FIXINGS: readonly Fixing[] = [
  {
    flow: 'on_ramp',
    quoted: { target_token: 'ETH', payment_method: 'card', country_code: 'DE' },
    fixed: [null, null, 'ETH', 'ethereum', 'card'],
    others: [
      { target_token: 'USDC' },
      { target_network: 'base' },
      { payment_method: 'bank_transfer' },
      { country_code: 'US' },
    ],
  },
  {
    flow: 'on_ramp',
    quoted: { target_network: 'ethereum', target_token: 'usdc', payment_method: 'bank_transfer' },
    fixed: [null, null, 'USDC', 'ethereum', 'bank_transfer'],
    others: [{ target_token: 'ETH' }, { target_network: 'base' }, { payment_method: 'card' }],
  },
  {
    flow: 'off_ramp',
    quoted: { source_token: 'ETH' },
    fixed: ['ETH', 'ethereum', null, null, 'bank_transfer'],
    others: [{ source_token: 'USDC' }, { source_network: 'base' }, { payment_method: 'crypto' }],
  },
  {
    flow: 'swap',
    quoted: { target_token: 'ETH', country_code: 'us' },
    fixed: ['USDC', 'base', 'ETH', 'ethereum', 'crypto'],
    others: [
      { source_network: 'ethereum' },
      { target_token: 'USDC', target_network: 'ethereum' },
      { country_code: 'DE' },
    ],
  },
];

const fixings: readonly Law<HttpSubject>[] = FIXINGS.flatMap(({ flow, quoted, fixed, others }) => {
  const what = `a quote of ${flow} for ${JSON.stringify(quoted)}`;
  return [
    httpLaw(TOPIC, `${what} fixes tokens, networks and method of an intent that leaves them open`, async (world) => {
      const { token } = await buyer(world);
      const quote = await quoteOf(world, token, { flow, ...quoted });
      const intent = expectStatus(await askOpen(world, token, { ...OPEN[flow], quote_id: quote['id'] }), 201).json;
      assert.deepEqual(
        TERMS.map((name) => intent[name]),
        fixed,
      );
      assert.equal(intent['quote_id'], quote['id']);
      const transaction = await readTransaction(world, intent);
      assert.equal(transaction['payment_method'], fixed[4]);
      assert.equal(transaction['country_code'], quoted['country_code']?.toString().toUpperCase() ?? null);
      for (const name of ['source', 'destination', 'exchange_rate', 'fees', 'fee_total'])
        assert.deepEqual(transaction[name], quote[name], name);
    }),
    httpLaw(TOPIC, `${what} takes the same values next to it, in any case`, async (world) => {
      const { token } = await buyer(world);
      const { id } = await quoteOf(world, token, { flow, ...quoted });
      const same: Members = Object.fromEntries(
        Object.entries(quoted).map(([name, value]) => [name, String(value).toLowerCase()] as const),
      );
      expectStatus(await askOpen(world, token, { ...OPEN[flow], quote_id: id, ...same }), 201);
    }),
    httpLaw(TOPIC, `${what} answers 400 terms_mismatch to another value next to it`, async (world) => {
      const { token } = await buyer(world);
      const { id } = await quoteOf(world, token, { flow, ...quoted });
      for (const other of others)
        expectRefusal(await askOpen(world, token, { ...OPEN[flow], quote_id: id, ...other }), 400, 'terms_mismatch');
      assert.equal(expectStatus(await askOpen(world, token, { ...OPEN[flow], quote_id: id }), 201).json['attempt'], 1);
    }),
  ];
});

/** Accepts attempts without ever answering: everything shown about them was known before they were started. */
const SILENT_PROVIDER = () => ({
  ports: { providers: [{ ...sandboxProvider(), start: () => Promise.reject(new Error('connection reset')) }] },
});

const DEFAULTS: readonly { readonly flow: string; readonly filled: readonly (string | null)[] }[] = [
  { flow: 'on_ramp', filled: [null, null, 'USDC', 'base', 'card'] },
  { flow: 'off_ramp', filled: ['USDC', 'base', null, null, 'bank_transfer'] },
  { flow: 'swap', filled: ['ETH', 'ethereum', 'USDC', 'base', 'crypto'] },
];

const defaults: readonly Law<HttpSubject>[] = DEFAULTS.map(({ flow, filled }) =>
  httpLaw(
    TOPIC,
    `what ${flow} leaves open is filled in by the provider, and shown on intent and transaction from the first moment`,
    async (world) => {
      const { token } = await buyer(world);
      const intent = expectStatus(await askOpen(world, token, OPEN[flow] ?? {}), 201).json;
      assert.equal(intent['status'], 'created');
      assert.deepEqual(
        TERMS.map((name) => intent[name]),
        filled,
      );
      const { source, destination, payment_method: method } = await readTransaction(world, intent);
      const symbols = [source, destination].flatMap((side) => [
        membersOf(side)['currency'],
        membersOf(side)['network'],
      ]);
      const [sourceToken, sourceNetwork, targetToken, targetNetwork] = filled;
      assert.deepEqual(symbols, [sourceToken ?? 'EUR', sourceNetwork, targetToken ?? 'EUR', targetNetwork]);
      assert.equal(method, filled[4]);
    },
    SILENT_PROVIDER,
  ),
);

const AS_WRITTEN = { amount: '0100.0', target_token: 'usdc', target_network: 'BASE' } as const;

export const quotedAttemptLaws: readonly Law<HttpSubject>[] = [
  ...fixings,
  ...defaults,
  httpLaw(
    TOPIC,
    'a quote of another amount, currency or flow is 404 quote_not_found, as is one of another partner',
    async (world) => {
      const other = await buyer(world, { amount: '50.00' });
      const foreign = await quoteOf(world, other.token, { ...INTENT_TERMS, amount: '50.00' });
      const { token } = await buyer(world);
      const dollars = await quoteOf(world, await anonymousToken(world), { ...INTENT_TERMS, currency: 'USD' });
      const sale = await quoteOf(world, token, { flow: 'off_ramp' });
      for (const { id } of [foreign, dollars, sale])
        expectRefusal(await attempt(world, token, { quote_id: id }), 404, 'quote_not_found');
    },
  ),
  httpLaw(
    TOPIC,
    'a quote of a country or method that is not served is refused like the attempt itself',
    async (world) => {
      const { token } = await buyer(world);
      const abroad = await quoteOf(world, token, { ...INTENT_TERMS, country_code: 'FR' });
      expectRefusal(
        await askOpen(world, token, { ...OPEN['on_ramp'], quote_id: abroad['id'] }),
        422,
        'corridor_not_supported',
      );
      const unserved = await quoteOf(world, token, { ...INTENT_TERMS, payment_method: 'crypto' });
      expectRefusal(
        await askOpen(world, token, { ...OPEN['on_ramp'], quote_id: unserved['id'] }),
        422,
        'corridor_not_supported',
      );
    },
  ),
  httpLaw(TOPIC, 'a quote of a card asks for the card like a card that is named', async (world) => {
    const { token } = await buyer(world);
    const { id } = await quoteOf(world, token, { ...INTENT_TERMS, payment_method: 'card' });
    const answer = await askOpen(world, token, { ...OPEN['on_ramp'], quote_id: id, payment_details: null });
    expectRefusal(answer, 400, 'validation_failed');
    assert.deepEqual(failedFields(answer), ['payment_details']);
  }),
  httpLaw(
    TOPIC,
    'terms are shown as they were given at create, on quotes, intent and transaction, however they are written later',
    async (world) => {
      const { token, sessionId } = await buyer(world, AS_WRITTEN);
      const written = { ...INTENT_TERMS, amount: '100.00', target_token: 'USDC', target_network: 'base' };
      const quotes = expectStatus(await world.send('POST', '/v1/embed/quotes', { token, body: written }), 200).json;
      assert.equal(quotes['amount'], AS_WRITTEN.amount);
      const intent = await begin(world, token, written);
      expectStatus(await simulate(world, sessionId, 'succeed'), 200);
      const shown = [
        intent,
        expectStatus(await world.send('GET', `/v1/embed/intents/${textOf(intent, 'id')}`, { token }), 200).json,
      ];
      for (const one of shown) {
        assert.deepEqual(
          [one['amount'], one['target_token'], one['target_network']],
          [AS_WRITTEN.amount, AS_WRITTEN.target_token, AS_WRITTEN.target_network],
        );
      }
      const { status, source, destination } = await readTransaction(world, intent);
      assert.deepEqual(
        [status, membersOf(source)['amount'], membersOf(source)['currency']],
        ['completed', AS_WRITTEN.amount, 'EUR'],
      );
      assert.deepEqual(
        [membersOf(destination)['currency'], membersOf(destination)['network']],
        [AS_WRITTEN.target_token, AS_WRITTEN.target_network],
      );
    },
  ),
];
