import assert from 'node:assert/strict';
import {
  createQuote,
  expectStatus,
  freshKey,
  httpLaw,
  type HttpSubject,
  type Law,
  type Members,
  previewQuotes,
  SECRET,
  textOf,
} from '../kit.js';
import { arrayOf } from './array-of.js';
import { checkQuote } from './check-quote.js';
import { OBJECT_ID, TIME } from './patterns.js';

const TOPIC = 'HTTP: the shape of previews and executable quotes';

/** Every side, with the currencies of its amounts. */
const SIDES: readonly {
  readonly ask: Members;
  readonly from: string;
  readonly to: string;
  readonly methods: Members;
}[] = [
  { ask: { side: 'on_ramp' }, from: 'EUR', to: 'USDC', methods: { card: true, bank_transfer: true } },
  { ask: { side: 'off_ramp' }, from: 'USDC', to: 'EUR', methods: { bank_transfer: true } },
  { ask: { side: 'swap', source_asset: 'ETH' }, from: 'ETH', to: 'USDC', methods: { crypto: true } },
];

export const quoteShapes: readonly Law<HttpSubject>[] = [
  ...SIDES.map(({ ask, from, to, methods }) =>
    httpLaw(
      TOPIC,
      `a preview of ${String(ask['side'])} prices every payment method, and its sums hold`,
      async (world) => {
        const { json } = expectStatus(await previewQuotes(world, ask), 200);
        assert.deepEqual([json['object'], json['mode'], json['side']], ['quote_preview', 'test', ask['side']]);
        assert.deepEqual([json['amount'], json['network']], ['100.00', 'base']);
        assert.match(textOf(json, 'rate_fetched_at'), TIME);
        const quotes = arrayOf(json['quotes']);
        for (const quote of quotes) {
          checkQuote(quote);
          assert.deepEqual([sideOf(quote, 'source'), sideOf(quote, 'destination')], [from, to]);
          assert.ok(textOf(json, 'expires_at') <= textOf(quote, 'expires_at'));
        }
        const served = quotes.map((quote) => [quote['payment_method'], quote['available']]);
        assert.deepEqual(Object.fromEntries(served), methods);
      },
    ),
  ),
  httpLaw(
    TOPIC,
    'a preview echoes codes in upper case, the amount as given, and the network as it is served',
    async (world) => {
      const body = { currency: 'eur', asset: 'usdc', country_code: 'de', amount: '100.0', network: 'ETHEREUM' };
      const { json } = expectStatus(await previewQuotes(world, body), 200);
      const { currency, asset, country_code: country, amount, network } = json;
      assert.deepEqual(
        { currency, asset, country, amount, network },
        { currency: 'EUR', asset: 'USDC', country: 'DE', amount: '100.0', network: 'ethereum' },
      );
    },
  ),
  httpLaw(TOPIC, "a preview means the asset's first network when none is named", async (world) => {
    const list = await world.send('GET', '/v1/capabilities/assets', { key: SECRET });
    for (const row of arrayOf(list.json['data'])) {
      const { json } = expectStatus(await previewQuotes(world, { asset: row['code'] }), 200);
      assert.equal(json['network'], arrayOfTexts(row['networks'])[0]);
    }
  }),
  httpLaw(TOPIC, 'a payment method that cannot serve stays listed in a preview, with the reason', async (world) => {
    const { json } = expectStatus(await previewQuotes(world, { country_code: 'FR' }), 200);
    const quotes = arrayOf(json['quotes']);
    assert.equal(quotes.length, 2);
    for (const quote of quotes) {
      checkQuote(quote);
      assert.deepEqual([quote['available'], quote['unavailable_reason']], [false, 'region_unsupported']);
    }
  }),
  httpLaw(
    TOPIC,
    'an executable quote is the quote of one method with what was asked, and is retrieved the same',
    async (world) => {
      const created = expectStatus(
        await createQuote(world, { currency: 'eur', asset: 'usdc', country_code: 'de' }),
        201,
      ).json;
      checkQuote(created);
      assert.match(textOf(created, 'id'), OBJECT_ID);
      assert.match(textOf(created, 'created_at'), TIME);
      const { object, payment_method, available, mode, side, currency, asset, network, amount, country_code, status } =
        created;
      assert.deepEqual(
        { object, payment_method, available, mode, side, currency, asset, network, amount, country_code, status },
        {
          object: 'quote',
          payment_method: 'bank_transfer',
          available: true,
          mode: 'test',
          side: 'on_ramp',
          currency: 'EUR',
          asset: 'USDC',
          network: 'base',
          amount: '100.00',
          country_code: 'DE',
          status: 'open',
        },
      );
      const path = `/v1/quotes/${textOf(created, 'id')}`;
      assert.deepEqual(expectStatus(await world.send('GET', path, { key: SECRET }), 200).json, created);
    },
  ),
  httpLaw(
    TOPIC,
    'an executable quote is open through its last millisecond, and expired a millisecond later',
    async (world) => {
      const created = expectStatus(await createQuote(world), 201).json;
      const path = `/v1/quotes/${textOf(created, 'id')}`;
      const statusAt = async () => (await world.send('GET', path, { key: SECRET })).json['status'];
      await world.t.clock.advance(Date.parse(textOf(created, 'expires_at')) - world.t.clock.now('test'));
      assert.equal(await statusAt(), 'open');
      await world.t.clock.advance(1);
      assert.equal(await statusAt(), 'expired');
    },
  ),
  httpLaw(TOPIC, 'a quote costs and gives what its preview said', async (world) => {
    const preview = expectStatus(await previewQuotes(world), 200).json;
    const previewed = arrayOf(preview['quotes']).find((quote) => quote['payment_method'] === 'bank_transfer');
    const { id: _, ...fixed } = expectStatus(await createQuote(world), 201).json;
    assert.ok(previewed !== undefined);
    const { id: __, ...prices } = previewed;
    for (const [name, value] of Object.entries(prices)) assert.deepEqual(fixed[name], value, name);
  }),
  httpLaw(TOPIC, 'a keyed quote keeps its price and its id, however late it is asked again', async (world) => {
    const idempotencyKey = freshKey();
    const first = expectStatus(await createQuote(world, {}, { idempotencyKey }), 201);
    await world.t.clock.advance('1h');
    assert.equal(expectStatus(await createQuote(world, {}, { idempotencyKey }), 201).text, first.text);
    assert.notEqual(expectStatus(await createQuote(world), 201).json['id'], first.json['id']);
  }),
];

function sideOf(quote: Members, name: 'source' | 'destination'): unknown {
  const [side] = arrayOf([quote[name]]);
  return side?.['currency'];
}

function arrayOfTexts(value: unknown): readonly string[] {
  assert.ok(Array.isArray(value));
  return value.map(String);
}
