import assert from 'node:assert/strict';
import type { Mode } from '@gateramp/core';
import {
  admitRival,
  type Answer,
  attempt,
  bootstrap,
  buyer,
  cancel,
  CARD,
  create,
  expectRefusal,
  expectStatus,
  failedFields,
  httpLaw,
  type HttpSubject,
  type HttpWorld,
  itemsOf,
  type Law,
  membersOf,
  RIVAL_PUBLISHABLE,
  RIVAL_SECRET,
  savedMethod,
  textOf,
} from '../kit.js';

const TOPIC = 'HTTP: saved payment methods';

const PATH = '/v1/embed/payment_methods';

const UNKNOWN = 'card_00000000000000';

function list(world: HttpWorld, token: string, mode: Mode = 'test'): Promise<Answer> {
  return world.send('GET', PATH, { mode, token });
}

function remove(world: HttpWorld, token: string, id: string, mode: Mode = 'test'): Promise<Answer> {
  return world.send('POST', `${PATH}/${id}/remove`, { mode, token });
}

/** The answer without its request id. */
function bodyOf({ status, json: { request_id: _, ...json } }: Answer) {
  return { status, json };
}

/** Checkouts of others: without a reference, with another one, and with the same one in the other mode and for another partner. */
async function strangers(world: HttpWorld, reference: string) {
  await admitRival(world);
  const rival = await create(world, { user_reference: reference }, { key: RIVAL_SECRET });
  const opened = await bootstrap(world, textOf(expectStatus(rival, 201).json, 'client_secret'), {
    key: RIVAL_PUBLISHABLE,
  });
  return [
    { token: (await buyer(world)).token, mode: 'test' },
    { token: (await buyer(world, { user_reference: `${reference} ` })).token, mode: 'test' },
    { token: (await buyer(world, { user_reference: reference }, 'live')).token, mode: 'live' },
    { token: textOf(opened.json, 'embed_token'), mode: 'test' },
  ] as const;
}

export const savedMethodLaws: readonly Law<HttpSubject>[] = [
  httpLaw(
    TOPIC,
    'a card saved with consent is listed in the next session of its buyer and pays there',
    async (world) => {
      const { token, id } = await savedMethod(world);
      const [row] = itemsOf(expectStatus(await list(world, token), 200));
      assert.deepEqual(row, {
        object: 'saved_payment_method',
        id,
        type: 'card',
        brand: 'visa',
        last4: '4242',
        expiry_month: 12,
        expiry_year: 2049,
        expired: false,
        cvc_required: false,
      });
      const paid = expectStatus(await attempt(world, token, { payment_details: { saved_method: id } }), 201);
      assert.equal(paid.json['status'], 'processing');
    },
  ),
  httpLaw(TOPIC, 'a price is asked for it, and names it on the quote that it can pay', async (world) => {
    const { token, id } = await savedMethod(world);
    const priced = async (saved_method: string) => {
      const body = { flow: 'on_ramp', amount: '100.00', currency: 'EUR', saved_method };
      const { json } = expectStatus(await world.send('POST', '/v1/embed/quotes', { token, body }), 200);
      const quotes = json['quotes'];
      assert(Array.isArray(quotes));
      return new Map(quotes.map((quote: Record<string, unknown>) => [quote['payment_method'], quote]));
    };
    const quotes = await priced(id);
    assert.equal(quotes.get('card')?.['saved_method'], id);
    assert.equal(quotes.get('bank_transfer')?.['saved_method'], null);
    assert.equal((await priced(UNKNOWN)).get('card')?.['saved_method'], null);
    const details = { saved_method: id };
    const paid = await attempt(world, token, { quote_id: quotes.get('card')?.['id'], payment_details: details });
    expectStatus(paid, 201);
  }),
  httpLaw(TOPIC, 'a removed one is listed no more, and pays no more: 404 payment_method_not_found', async (world) => {
    const { token, id } = await savedMethod(world);
    const removed = expectStatus(await remove(world, token, id), 200);
    assert.deepEqual(removed.json, { object: 'saved_payment_method', id, removed: true });
    assert.deepEqual(itemsOf(await list(world, token)), []);
    expectRefusal(await remove(world, token, id), 404, 'payment_method_not_found');
    const answer = await attempt(world, token, { payment_details: { saved_method: id } });
    expectRefusal(answer, 404, 'payment_method_not_found');
  }),
  httpLaw(TOPIC, "another's is answered like an unknown one, and stays where it is", async (world) => {
    const { token, id, session } = await savedMethod(world);
    const [tag = ''] = id.split('.');
    for (const stranger of await strangers(world, textOf(session, 'user_reference'))) {
      assert.deepEqual(itemsOf(expectStatus(await list(world, stranger.token, stranger.mode), 200)), []);
      const unknown = bodyOf(await remove(world, stranger.token, `${tag}.${UNKNOWN}`, stranger.mode));
      assert.deepEqual(bodyOf(await remove(world, stranger.token, id, stranger.mode)), unknown);
      assert.equal(unknown.json['code'], 'payment_method_not_found');
      const pay = (saved_method: string) =>
        attempt(world, stranger.token, { payment_details: { saved_method } }, { mode: stranger.mode });
      assert.deepEqual(bodyOf(await pay(id)), bodyOf(await pay(`${tag}.${UNKNOWN}`)));
      assert.deepEqual(bodyOf(await pay(id)), bodyOf(await pay(UNKNOWN)));
    }
    assert.equal(itemsOf(await list(world, token)).length, 1);
  }),
  httpLaw(
    TOPIC,
    'without a user_reference nothing can be saved: 400 validation_failed on payment_details.save',
    async (world) => {
      const { token } = await buyer(world);
      const refused = await attempt(world, token, { payment_details: { ...CARD, save: true } });
      expectRefusal(refused, 400, 'validation_failed');
      assert.deepEqual(failedFields(refused), ['payment_details.save']);
      const { json } = await world.send('GET', '/v1/embed/session', { token });
      assert.deepEqual(membersOf(json['capabilities'])['savable_payment_methods'], []);
      expectStatus(await attempt(world, token, { payment_details: { ...CARD, save: false } }), 201);
    },
  ),
  httpLaw(TOPIC, 'a session that has ended has no saved methods', async (world) => {
    const { token, id, sessionId } = await savedMethod(world);
    expectStatus(await cancel(world, sessionId), 200);
    assert.deepEqual(itemsOf(expectStatus(await list(world, token), 200)), []);
    expectRefusal(await remove(world, token, id), 404, 'payment_method_not_found');
  }),
];
