import assert from 'node:assert/strict';
import { TEST_KEYS } from '@gateramp/testing';
import {
  admitRival,
  type Answer,
  attempt,
  buyer,
  createQuote,
  expectRefusal,
  expectStatus,
  failedFields,
  freshKey,
  httpLaw,
  type HttpSubject,
  type HttpWorld,
  type Law,
  type Members,
  previewQuotes,
  RIVAL_SECRET,
  SECRET,
  type Sent,
  textOf,
} from '../kit.js';
import { arrayOf } from '../shapes/array-of.js';

const TOPIC = 'HTTP: refusals of quotes';

/** Both ways to request a price have the same rules. */
const ASKING: readonly {
  readonly name: string;
  readonly ask: (world: HttpWorld, body?: Members, sent?: Sent) => Promise<Answer>;
}[] = [
  { name: 'POST /v1/quotes/preview', ask: previewQuotes },
  { name: 'POST /v1/quotes', ask: createQuote },
];

const MARKETS: readonly { readonly when: string; readonly body: Members; readonly code: string }[] = [
  { when: 'a currency that is not served', body: { currency: 'GBP' }, code: 'corridor_not_supported' },
  { when: 'an asset that is not served', body: { asset: 'DOGE' }, code: 'corridor_not_supported' },
  {
    when: 'a source that is not served',
    body: { side: 'swap', source_asset: 'DOGE' },
    code: 'corridor_not_supported',
  },
  {
    when: 'a swap of an asset into itself',
    body: { side: 'swap', source_asset: 'USDC' },
    code: 'corridor_not_supported',
  },
  { when: 'an asset on the wrong network', body: { asset: 'ETH', network: 'base' }, code: 'asset_network_mismatch' },
  { when: 'an asset on an unknown network', body: { network: 'solana' }, code: 'asset_network_mismatch' },
  {
    when: 'a source on the wrong network',
    body: { side: 'swap', source_asset: 'ETH', source_network: 'base' },
    code: 'asset_network_mismatch',
  },
  { when: 'an amount below all limits', body: { amount: '0.99' }, code: 'amount_below_minimum' },
  { when: 'an amount above all limits', body: { amount: '10000.01' }, code: 'amount_above_maximum' },
];

const FIELDS: readonly { readonly body: Members; readonly failed: readonly string[] }[] = [
  { body: { amount: '0' }, failed: ['amount'] },
  { body: { amount: 100 }, failed: ['amount'] },
  { body: { amount: '1e2' }, failed: ['amount'] },
  { body: { side: 'sideways' }, failed: ['side'] },
  { body: { currency: 'EURO', asset: '', country_code: 'Germany' }, failed: ['asset', 'country_code', 'currency'] },
  { body: { side: 'swap' }, failed: ['source_asset'] },
  { body: { source_asset: 'ETH' }, failed: ['source_asset'] },
  {
    body: { side: 'off_ramp', source_asset: 'ETH', source_network: 'ethereum' },
    failed: ['source_asset', 'source_network'],
  },
];

const REQUIRED = ['currency', 'asset', 'amount', 'side', 'country_code'];

export const quoteRefusals: readonly Law<HttpSubject>[] = [
  ...ASKING.flatMap(({ name, ask }) => [
    ...MARKETS.map(({ when, body, code }) =>
      httpLaw(TOPIC, `${name} answers 422 ${code} to ${when}`, async (world) => {
        expectRefusal(await ask(world, body), 422, code);
      }),
    ),
    httpLaw(
      TOPIC,
      `${name} answers 400 and names every field that is missing or wrong, unknown ones too`,
      async (world) => {
        for (const { body, failed } of FIELDS) {
          const answer = await ask(world, body);
          expectRefusal(answer, 400, 'validation_failed');
          assert.deepEqual(failedFields(answer), failed);
        }
        const none = await ask(world, {}, { body: {} });
        expectRefusal(none, 400, 'validation_failed');
        assert.deepEqual(
          failedFields(none).filter((field) => field !== 'payment_method'),
          [...REQUIRED].sort(),
        );
        expectRefusal(await ask(world, { flow: 'on_ramp' }), 400, 'unknown_field');
      },
    ),
    httpLaw(
      TOPIC,
      `${name} answers 403 swap_not_enabled to a swap of a partner without it`,
      async (world) => {
        expectRefusal(await ask(world, { side: 'swap', source_asset: 'ETH' }), 403, 'swap_not_enabled');
        expectStatus(await ask(world), name === 'POST /v1/quotes' ? 201 : 200);
      },
      { partner: { entitlements: ['rails'] } },
    ),
  ]),
  httpLaw(TOPIC, 'POST /v1/quotes/preview takes no payment_method: it prices all of them', async (world) => {
    expectRefusal(await previewQuotes(world, { payment_method: 'card' }), 400, 'unknown_field');
  }),
  httpLaw(TOPIC, 'POST /v1/quotes answers 422 corridor_not_supported to a method that cannot serve', async (world) => {
    for (const body of [{ payment_method: 'crypto' }, { country_code: 'FR' }])
      expectRefusal(await createQuote(world, body), 422, 'corridor_not_supported');
    const unnamed = await createQuote(world, { payment_method: null });
    expectRefusal(unnamed, 400, 'validation_failed');
    assert.deepEqual(failedFields(unnamed), ['payment_method']);
  }),
  httpLaw(
    TOPIC,
    'executable quotes answer 403 rails_api_not_enabled without the entitlement, before key, body and id; previews need none',
    async (world) => {
      const unusable = { headers: { 'idempotency-key': 'not usable' } };
      expectRefusal(await createQuote(world, { side: 'sideways' }, unusable), 403, 'rails_api_not_enabled');
      const path = `/v1/quotes/${'0'.repeat(24)}`;
      expectRefusal(await world.send('GET', path, { key: SECRET }), 403, 'rails_api_not_enabled');
      expectStatus(await previewQuotes(world), 200);
    },
    { partner: { entitlements: ['swap'] } },
  ),
  httpLaw(TOPIC, 'the ids of a preview can be executed nowhere', async (world) => {
    const preview = expectStatus(await previewQuotes(world), 200).json;
    const { token } = await buyer(world);
    for (const quote of arrayOf(preview['quotes'])) {
      const id = textOf(quote, 'id');
      expectRefusal(await world.send('GET', `/v1/quotes/${id}`, { key: SECRET }), 404, 'quote_not_found');
      expectRefusal(await attempt(world, token, { quote_id: id }), 404, 'quote_not_found');
    }
  }),
  httpLaw(TOPIC, 'an executable quote cannot be taken up by a checkout', async (world) => {
    const id = textOf(expectStatus(await createQuote(world), 201).json, 'id');
    const { token } = await buyer(world);
    expectRefusal(await attempt(world, token, { quote_id: id }), 404, 'quote_not_found');
  }),
  httpLaw(
    TOPIC,
    'GET /v1/quotes/{id} answers 404 quote_not_found to an id that is unknown, foreign or of the other mode',
    async (world) => {
      const id = textOf(expectStatus(await createQuote(world), 201).json, 'id');
      const path = `/v1/quotes/${id}`;
      await admitRival(world);
      expectRefusal(await world.send('GET', path, { key: RIVAL_SECRET }), 404, 'quote_not_found');
      expectRefusal(
        await world.send('GET', path, { mode: 'live', key: TEST_KEYS.secret.live }),
        404,
        'quote_not_found',
      );
      for (const unknown of ['0'.repeat(24), 'nonsense', '%00', `${id}%20`])
        expectRefusal(await world.send('GET', `/v1/quotes/${unknown}`, { key: SECRET }), 404, 'quote_not_found');
    },
  ),
  httpLaw(TOPIC, 'a refused quote leaves its key free for a corrected body', async (world) => {
    const idempotencyKey = freshKey();
    expectRefusal(await createQuote(world, { amount: '0.5' }, { idempotencyKey }), 422, 'amount_below_minimum');
    expectStatus(await createQuote(world, {}, { idempotencyKey }), 201);
    expectRefusal(await createQuote(world, { amount: '7.00' }, { idempotencyKey }), 422, 'idempotency_key_mismatch');
    expectRefusal(await createQuote(world, { currency: 'GBP' }, { idempotencyKey }), 422, 'idempotency_key_mismatch');
  }),
];
