import { memorySandboxLedger, REJECTED_DOCUMENT_MARK, sandboxProvider } from '@gateramp/adapters-provider-sandbox';
import { memoryStore } from '@gateramp/adapters-store-memory';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createTestGate, TEST_WEBHOOK_SECRET, type TestGate, type TestResponse } from '@gateramp/testing';
import { runs } from '../../../../tests/depth.js';
import { attemptBody, CARDS, scopeOf, WALLET } from './checkout.js';

const word = fc.stringMatching(/^[A-Za-z]{12,18}$/);

/** Data of a buyer or partner that the engine must never reveal. */
const entrusted = fc.record({
  card: fc.oneof(fc.constantFrom(...Object.values(CARDS)), fc.stringMatching(/^4[0-9]{15}$/)),
  code: fc.oneof(fc.constant('000000'), fc.stringMatching(/^[0-9]{14}$/)),
  firstName: word,
  lastName: word,
  document: fc.oneof(word, fc.constant('REJECT')),
  packageText: word,
  iban: fc.stringMatching(/^[0-9]{18}$/).map(germanIban),
  accountNumber: fc.stringMatching(/^[1-9][0-9]{16}$/),
  holder: word,
  idempotencyKey: fc.uuid(),
  endpointSecret: fc.stringMatching(/^whsec_[0-9A-Za-z]{24}$/),
  apiKey: fc.stringMatching(/^sk_test_[0-9a-zA-Z]{32}$/),
  amount: fc.constantFrom('100.00', '14.50', '17.00', '17.50'),
  picture: word,
  isRejected: fc.boolean(),
  flow: fc.constantFrom('on_ramp', 'off_ramp'),
  currency: fc.constantFrom('EUR', 'USD'),
  trusted: fc.boolean(),
});

/** The account with its check digits in front. */
function germanIban(account: string): string {
  const check = 98n - (BigInt(`${account}131400`) % 97n);
  return `DE${String(check).padStart(2, '0')}${account}`;
}

type Entrusted = typeof entrusted extends fc.Arbitrary<infer Value> ? Value : never;

it('no row, event, webhook, response or telemetry contains a card, code, identity, document, account, key or secret, in any encoding', async () => {
  await fc.assert(
    fc.asyncProperty(entrusted, async (given) => {
      const seen = await traffic(given);
      for (const [name, secret] of Object.entries(seen.secrets)) {
        for (const form of spellings(secret)) {
          for (const [place, text] of seen.texts) {
            const isShownHere = SHOWN_ONCE[name] === place;
            expect(!isShownHere && text.includes(form), `${name} is in ${place}: ${around(text, form)}`).toBe(false);
          }
        }
      }
    }),
    { numRuns: runs(6, 60) },
  );
});

/** Where a secret is shown, once. */
const SHOWN_ONCE: Readonly<Record<string, string>> = {
  clientSecret: 'answer to create',
  embedToken: 'answer to bootstrap',
};

interface Seen {
  readonly secrets: Readonly<Record<string, string>>;
  readonly texts: readonly (readonly [place: string, text: string])[];
}

/** Everything written or sent during a buyer's complete checkout, including errors. */
async function traffic(given: Entrusted): Promise<Seen> {
  const texts: [string, string][] = [];
  const book = <Port extends object>(place: string, port: Port) => recorded(port, (text) => texts.push([place, text]));
  const ledger = book('the sandbox ledger', memorySandboxLedger());
  const t = await createTestGate({
    ports: { store: book('the store', memoryStore()), providers: [sandboxProvider({ ledger })] },
  });
  await t.gate.admin.setEndpoint(scopeOf(t), { url: 'https://shop.example/hooks', secret: given.endpointSecret });
  await t.gate.admin.addKey(t.partner.id, given.apiKey);
  const said = (place: string, answer: TestResponse): TestResponse => {
    texts.push([place, `${answer.text}\n${JSON.stringify(answer.headers)}`]);
    return answer;
  };
  const created = said('answer to create', await create(t, given));
  const clientSecret = String(created.json['client_secret']);
  const opened = said('answer to bootstrap', await bootstrap(t, clientSecret));
  const embedToken = String(opened.json['embed_token']);
  await misuse(t, given, clientSecret, embedToken, (answer) => said('a refusal', answer));
  await purchase(t, given, embedToken, (answer) => said('an embed answer', answer));
  if (given.flow === 'off_ramp') await payOut(t, given, (answer) => said('an answer over rails', answer));
  await t.clock.advance('1d');
  said('a list', await t.request('GET', '/v1/gate_sessions', { key: given.apiKey }));
  said('a list', await t.request('GET', '/v1/transactions', { key: given.apiKey }));
  for (const webhook of t.receiver.received) texts.push(['a webhook', webhook.body + JSON.stringify(webhook.headers)]);
  const { alarms, failures, notes } = t.telemetry;
  texts.push([
    'telemetry',
    JSON.stringify([alarms, notes, failures.map(({ error, fields }) => [String(error), fields])]),
  ]);
  return { secrets: secretsOf(given, clientSecret, embedToken), texts };
}

function create(t: TestGate, given: Entrusted): Promise<TestResponse> {
  const body = {
    amount: given.amount,
    currency: given.currency,
    return_url: 'https://shop.example/done',
    flow: given.flow,
    ...(given.trusted ? { kyc_package: { provider: 'acme', identity: { name: given.packageText } } } : {}),
  };
  return t.request('POST', '/v1/gate_sessions', { key: given.apiKey, idempotencyKey: given.idempotencyKey, body });
}

function bootstrap(t: TestGate, clientSecret: string): Promise<TestResponse> {
  return t.request('POST', '/v1/embed/bootstrap', {
    key: t.keys.publishable.test,
    headers: { origin: 'https://shop.example' },
    body: { clientSecret },
  });
}

/** Sends secrets in the wrong places: refusals must not quote them. */
async function misuse(
  t: TestGate,
  given: Entrusted,
  clientSecret: string,
  embedToken: string,
  said: (answer: TestResponse) => void,
): Promise<void> {
  const headers = { 'x-embed-token': embedToken };
  const details = { card_number: `${given.card}x`, expiry: given.card, cvc: given.card };
  said(
    await t.request('POST', '/v1/embed/intents', {
      headers,
      body: { ...attemptBody('1.00', given.card), payment_details: details },
    }),
  );
  said(
    await t.request('POST', '/v1/embed/intents', {
      headers,
      body: { ...attemptBody(given.card, given.card), flow: given.firstName },
    }),
  );
  said(
    await t.request('POST', '/v1/embed/intents', {
      headers,
      body: `{"payment_details":{"card_number":"${given.card}"`,
    }),
  );
  said(await t.request('POST', '/v1/embed/bootstrap', { key: given.apiKey, body: { client_secret: clientSecret } }));
  said(await t.request('GET', `/v1/gate_sessions?status=${given.card}&limit=${given.card}`, { key: given.apiKey }));
  said(await t.request('GET', '/v1/gate_sessions', { key: `${given.apiKey}!` }));
  said(await t.request('GET', '/v1/gate_sessions', { key: given.apiKey, mode: 'live' }));
  said(await t.request('GET', '/v1/embed/session', { headers: { 'x-embed-token': `${embedToken}x` } }));
  said(await create(t, { ...given, amount: given.amount === '14.50' ? '100.00' : '14.50' }));
  said(
    await t.request('POST', '/v1/gate_sessions', {
      key: given.apiKey,
      idempotencyKey: `${given.idempotencyKey} ü`,
      body: {},
    }),
  );
}

async function purchase(
  t: TestGate,
  given: Entrusted,
  embedToken: string,
  said: (answer: TestResponse) => TestResponse,
): Promise<void> {
  const headers = { 'x-embed-token': embedToken };
  const sale = {
    ...attemptBody(given.amount, given.card),
    flow: 'off_ramp',
    payment_method: 'bank_transfer',
    wallet_address: null,
    refund_address: WALLET,
  };
  const { currency } = given;
  const payout = {
    payment_details: null,
    payout_details: currency === 'USD' ? achOf(given) : ibanOf(given),
  };
  const refused = { ...achOf(given), routing_number: given.accountNumber, iban: given.iban };
  for (const payout_details of [refused, currency === 'USD' ? ibanOf(given) : achOf(given)])
    said(
      await t.request('POST', '/v1/embed/intents', { headers, body: { ...sale, ...payout, currency, payout_details } }),
    );
  const bought = attemptBody(given.amount, given.card);
  const body = { ...(given.flow === 'on_ramp' ? bought : { ...sale, ...payout }), currency };
  const begun = said(
    await t.request('POST', '/v1/embed/intents', { headers, idempotencyKey: given.idempotencyKey, body }),
  );
  expect(begun.status, begun.text).toBe(201);
  const path = `/v1/embed/intents/${String(begun.json['id'])}`;
  const kyc = {
    first_name: given.firstName,
    last_name: given.lastName,
    date_of_birth: '1990-01-01',
    document_number: given.document,
  };
  for (const [type, sides] of PICTURES) {
    const bytes = `%PDF-1.7 ${given.picture} ${given.isRejected ? REJECTED_DOCUMENT_MARK : ''}`;
    for (const side of sides)
      said(
        await t.request('POST', `${path}/documents/${side}`, {
          headers: { ...headers, 'content-type': type },
          body: bytes,
        }),
      );
  }
  for (const confirmation of [
    { action: 'kyc', kyc: { documents: 'submitted' } },
    { action: 'kyc', kyc },
    { action: 'payment_authentication', code: given.code },
    { action: 'crypto_deposit' },
  ]) {
    said(await t.request('POST', `${path}/confirm`, { headers, body: confirmation }));
  }
  await t.clock.advance('2m');
  said(await t.request('GET', path, { headers }));
  said(await t.request('GET', '/v1/embed/session', { headers }));
}

/** Accepted images, and ones refused for their side or their declared type. */
const PICTURES = [
  ['application/pdf', ['front', 'back', 'selfie', 'spine']],
  ['image/png', ['front']],
  ['text/plain', ['front']],
] as const;

function ibanOf({ iban, holder }: Entrusted) {
  return { type: 'iban', iban, account_holder: holder };
}

function achOf({ accountNumber, holder }: Entrusted) {
  return { type: 'ach', routing_number: '021000021', account_number: accountNumber, account_holder: holder };
}

/** A pay-out to the account, first misspelled and then correct, to its end. */
async function payOut(t: TestGate, given: Entrusted, said: (answer: TestResponse) => TestResponse): Promise<void> {
  const post = (path: string, body: unknown) =>
    t.request('POST', path, { key: given.apiKey, idempotencyKey: `${given.idempotencyKey}/${path}`, body });
  const ask = { currency: 'EUR', asset: 'USDC', amount: '100.00', country_code: 'DE', payment_method: 'bank_transfer' };
  const quote = said(await post('/v1/quotes', { ...ask, side: 'off_ramp' }));
  const beneficiary = ibanOf(given);
  const body = { quote_id: quote.json['id'], refund_address: WALLET, beneficiary };
  said(await post('/v1/rails/pay_outs', { ...body, beneficiary: { ...beneficiary, iban: `${given.iban}!` } }));
  said(await post('/v1/rails/pay_outs', { ...body, wallet_address: given.iban }));
  const made = said(await post('/v1/rails/pay_outs', body));
  expect(made.status, made.text).toBe(201);
  const id = String(made.json['id']);
  said(await post('/v1/rails/pay_outs', { ...body, quote_id: id }));
  said(await post(`/v1/test_helpers/rails/${id}/simulate`, { scenario: 'succeed' }));
  said(await t.request('GET', `/v1/rails/pay_outs/${id}`, { key: given.apiKey }));
  said(await t.request('GET', '/v1/rails/pay_outs', { key: given.apiKey }));
  said(await t.request('GET', `/v1/transactions/${String(made.json['tx_refid'])}`, { key: given.apiKey }));
}

function secretsOf(given: Entrusted, clientSecret: string, embedToken: string): Readonly<Record<string, string>> {
  const { card, firstName, lastName, packageText, picture, iban, accountNumber, holder } = given;
  const { idempotencyKey, endpointSecret, apiKey } = given;
  return {
    card,
    firstName,
    lastName,
    packageText,
    picture,
    iban,
    accountNumber,
    holder,
    idempotencyKey,
    endpointSecret,
    apiKey,
    clientSecret,
    embedToken,
    standingSecret: TEST_WEBHOOK_SECRET,
    // Six zeros and the sandbox's magic document occur in other text, so only distinctive values are searched for.
    ...(given.code === '000000' ? {} : { code: given.code }),
    ...(given.document === 'REJECT' ? {} : { document: given.document }),
  };
}

/** The plain text, hexadecimal, and base64 at every possible offset within longer text. */
function spellings(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  const base64 = [0, 1, 2].map((shift) => {
    const text = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64');
    // The characters at either end share bits with their neighbours.
    return text.slice(shift === 0 ? 0 : shift + 1, -4);
  });
  return [
    secret,
    bytes.toString('hex'),
    ...base64,
    ...base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
  ];
}

function around(text: string, form: string): string {
  const at = text.indexOf(form);
  return text.slice(Math.max(0, at - 80), at + form.length + 20);
}

/** A port that records everything it is given to store. */
function recorded<Port extends object>(port: Port, write: (text: string) => void): Port {
  return new Proxy(port, {
    get: (target, member, receiver) => {
      const value: unknown = Reflect.get(target, member, receiver);
      if (typeof value !== 'function' || !KEEPS.has(String(member))) return value;
      return (...given: unknown[]) => {
        write(JSON.stringify(given));
        return Reflect.apply(value, target, given) as unknown;
      };
    },
  });
}

const KEEPS = new Set(['commit', 'recordDelivery', 'savePartner', 'saveKey', 'saveEndpoint', 'swapSetting', 'write']);
