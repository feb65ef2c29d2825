import {
  SANDBOX_CARDS,
  SANDBOX_IBANS,
  sandboxPools,
  sandboxProvider,
  type SandboxLedger,
} from '@gateramp/adapters-provider-sandbox';
import {
  ACCEPTED,
  createTestGate,
  REFUSED,
  type TestGate,
  type TestRequest,
  type TestResponse,
} from '@gateramp/testing';
import type pg from 'pg';
import { postgresSandboxLedger, postgresStore } from '../../src/index.js';
import type { Release } from './release.js';

/** A process of the checked-out version. Data that a test gate keeps in memory outside the store is in the database here. */
export function aShop(pool: pg.Pool, schema: string, seed: string, startAt?: number): Promise<TestGate> {
  const ledger: SandboxLedger = postgresSandboxLedger(pool, { schema });
  const ports = {
    store: postgresStore(pool, { schema }),
    providers: [sandboxProvider({ ledger })],
    pools: sandboxPools({ ledger }),
  };
  return createTestGate({ ports, seed, ...(startAt === undefined ? {} : { startAt }) });
}

const SCENARIOS = ['succeed', 'decline', 'kyc_required', 'processing', 'settlement_error', 'abandon'] as const;

/** Some of everything that a database may contain: each state of a session, and deliveries that wait, fail, or are dead-lettered. */
export async function fill(t: TestGate): Promise<void> {
  t.gate.on('gate_session.completed', 'grant-value', () => undefined);
  t.receiver.answerWith(({ body }) => (body.includes('"refused":"always"') ? REFUSED : ACCEPTED));
  for (const scenario of SCENARIOS)
    await simulate(t, (await t.createSession({ metadata: { b: 1, a: [scenario] } })).id, scenario);
  await t.createSession({ metadata: { refused: 'always' }, user_reference: 'user-1' });
  await t.clock.advance('3h');
  await cancel(t, (await t.createSession({ user_reference: 'user-1' })).id);
  await t.clock.advance('25h');
  await create(t, 'key-before', '10.00');
  await create(t, 'key-live', '10.00', 'live');
  await t.createSession({ metadata: { refused: 'always' } });
  await simulate(t, (await t.createSession({ flow: 'on_ramp' })).id, 'abandon');
  // Still to be settled, delivered and retried when the recording begins.
  t.receiver.answerWith(() => REFUSED);
  for (const scenario of SCENARIOS) await simulate(t, (await t.createSession()).id, scenario);
  await fillProducts(t);
  await t.clock.advance('1s');
}

/** A row of each kind that sessions alone do not create. */
async function fillProducts(t: TestGate): Promise<void> {
  await post(t, '/v1/branding', { display_name: 'Acme', accent_color: '#6d28d9' });
  const [refid] = await ids(t, '/v1/transactions?limit=1&status=completed', 'refid');
  const caller = { partnerId: t.partner.id, mode: 'test' } as const;
  const refund = { amount: '20.00', reason: 'Damaged item' };
  const key = { idempotencyKey: 'key-of-refund' };
  (await t.gate.admin.refundTransaction(caller, refid ?? '', refund, key))._unsafeUnwrap();
  for (const kind of ['pay_in', 'pay_out'] as const) {
    const [paid] = [await createRail(t, kind), await createRail(t, kind)];
    await post(t, `/v1/test_helpers/rails/${paid}/simulate`, { scenario: 'succeed' });
  }
  await tradeInPool(t);
}

/** All kinds of requests and work of a process. */
export async function trade(t: TestGate): Promise<void> {
  t.receiver.answerWith(() => ACCEPTED);
  await create(t, 'key-before', '10.00');
  await create(t, 'key-before', '11.00');
  await create(t, 'key-after', '12.00');
  const open = await ids(t, '/v1/gate_sessions?limit=100&status=open', 'id');
  for (const id of open.slice(0, 3)) await cancel(t, id);
  await t.clock.advance('2m');
  for (const scenario of ['succeed', 'decline', 'processing'])
    await simulate(t, (await t.createSession({ user_reference: 'user-2' })).id, scenario);
  await createRail(t, 'pay_in');
  await tradeInPool(t);
  await answers(t, 3);
  await t.clock.advance('20h');
  await create(t, 'key-before', '10.00');
  await pay(t, await checkout(t));
}

const LISTS = [
  '/v1/gate_sessions?limit=100',
  ...['open', 'completed', 'cancelled', 'expired'].map((status) => `/v1/gate_sessions?limit=100&status=${status}`),
  '/v1/gate_sessions?limit=3&user_reference=user-2',
  '/v1/transactions?limit=100',
  '/v1/transactions?limit=2&status=completed',
  '/v1/branding',
  '/v1/webhooks/endpoint',
  '/v1/events?limit=5',
  '/v1/webhooks/deliveries?limit=5',
  '/v1/rails/pay_ins?limit=5',
  '/v1/rails/pay_outs?limit=5',
];

/** Lists whose items can also be retrieved alone, with the member that names an item and the paths of its item. */
const ITEMS: readonly { readonly list: string; readonly id: string; readonly paths: readonly string[] }[] = [
  { list: '/v1/gate_sessions', id: 'id', paths: ['/v1/gate_sessions/{}', '/v1/gate_sessions/{}/timeline'] },
  { list: '/v1/transactions', id: 'refid', paths: ['/v1/transactions/{}'] },
  { list: '/v1/events', id: 'id', paths: ['/v1/events/{}'] },
  { list: '/v1/webhooks/deliveries', id: 'id', paths: ['/v1/webhooks/deliveries/{}'] },
  { list: '/v1/rails/pay_ins', id: 'id', paths: ['/v1/rails/pay_ins/{}'] },
  { list: '/v1/rails/pay_ins', id: 'quote_id', paths: ['/v1/quotes/{}'] },
  { list: '/v1/rails/pay_outs', id: 'id', paths: ['/v1/rails/pay_outs/{}'] },
];

/** Everything that a partner or a checkout reads: the lists, and single rows of complete lists. */
export async function answers(
  t: TestGate,
  rowsMax = 100,
  onAnswer: (read: Read) => void = () => undefined,
): Promise<Release['answers']> {
  const read: Release['answers'][number][] = [];
  const get = async (path: string, request: TestRequest): Promise<void> => {
    const answer = await t.request('GET', path, request);
    onAnswer({ path, host: request.product ?? 'test', answer });
    const { url: _, ...json } = answer.json;
    read.push({ path, status: answer.status, json });
  };
  const key = t.keys.secret.test;
  for (const path of LISTS) await get(path, { key });
  for (const { list, id, paths } of ITEMS)
    for (const found of await ids(t, `${list}?limit=100`, id, rowsMax))
      for (const path of paths) await get(path.replace('{}', found), { key });
  for (const path of ['/v1/pools', `/v1/pools/${POOL}/balance`, '/v1/pools/trades'])
    await get(path, { key: t.keys.secret.live, product: 'pools' });
  const { token, intentId } = await checkout(t);
  const headers = { 'x-embed-token': token };
  await get('/v1/embed/session', { headers });
  await get('/v1/embed/payment_methods', { headers });
  if (intentId !== null) await get(`/v1/embed/intents/${intentId}`, { headers });
  return read;
}

/** A request of `answers`, with its whole answer. */
export interface Read {
  readonly path: string;
  readonly host: 'test' | 'pools';
  readonly answer: TestResponse;
}

interface Checkout {
  readonly token: string;
  /** The attempt of `pay`, if it was made. */
  readonly intentId: string | null;
}

/** The checkout of one session. A repeat with its key returns the client secret, of which only a hash is stored. */
async function checkout(t: TestGate): Promise<Checkout> {
  const { json } = await create(t, 'key-checkout', '120.00');
  const [sessionId, clientSecret] = [String(json['id']), String(json['client_secret'])];
  const { text } = await t.request('GET', `/v1/gate_sessions/${sessionId}/timeline`, { key: t.keys.secret.test });
  const [, intentId = null] = /"intent_id":"(\w+)"/.exec(text) ?? [];
  return { token: await t.embed({ client_secret: clientSecret }), intentId };
}

/** An attempt with other terms, which is refused and kept for the timeline, and one that waits for its one-time code. */
async function pay(t: TestGate, { token }: Checkout): Promise<void> {
  const body = {
    flow: 'on_ramp',
    amount: '120.00',
    currency: 'EUR',
    target_token: 'USDC',
    target_network: 'base',
    payment_method: 'card',
    wallet_address: WALLET,
    payment_details: { card_number: SANDBOX_CARDS.needsAuthentication, expiry: '12/49', cvc: '123' },
  };
  const headers = { 'x-embed-token': token };
  const refused = await t.request('POST', '/v1/embed/intents', { headers, body: { ...body, amount: '130.00' } });
  if (refused.json['code'] !== 'amount_mismatch') throw new Error(`Expected a refusal: ${refused.text}`);
  const made = await t.request('POST', '/v1/embed/intents', { headers, body });
  if (made.status !== 201) throw new Error(`Expected an intent: ${made.text}`);
}

const WALLET = '0x52908400098527886E0F7030069857D2E4169EE7';

async function createRail(t: TestGate, kind: 'pay_in' | 'pay_out'): Promise<string> {
  const quote = await post(t, '/v1/quotes', {
    side: kind === 'pay_in' ? 'on_ramp' : 'off_ramp',
    currency: 'EUR',
    asset: 'USDC',
    amount: '100.00',
    country_code: 'DE',
    payment_method: 'bank_transfer',
  });
  const target =
    kind === 'pay_in'
      ? { wallet_address: WALLET }
      : {
          refund_address: WALLET,
          beneficiary: { type: 'iban', iban: SANDBOX_IBANS.pays, account_holder: 'Ada Buyer' },
        };
  const payment = await post(t, `/v1/rails/${kind}s`, { quote_id: quote['id'], ...target });
  return String(payment['id']);
}

const POOL = 'pool_usdc_eur';

async function tradeInPool(t: TestGate): Promise<void> {
  const { admin, pools } = t.gate;
  const caller = { partnerId: t.partner.id, mode: 'live' } as const;
  const terms = { asset: 'USDC', network: 'base', currency: 'EUR' } as const;
  await admin.savePool(caller.partnerId, { id: POOL, ...terms, spreadBps: 30, feeBps: 20 });
  const money = { poolId: POOL, amount: '1000', reference: `opening-${t.clock.now('live')}` };
  for (const currency of ['EUR', 'USDC']) await admin.movePoolBalance(caller.partnerId, { ...money, currency });
  const order = { side: 'on_ramp', ...terms, destAddress: WALLET, amount: '100' } as const;
  const { quoteId } = (await pools.quote(caller, POOL, order))._unsafeUnwrap();
  const options = { idempotencyKey: quoteId };
  (await pools.transact(caller, POOL, { quoteId, destAddress: WALLET }, options))._unsafeUnwrap();
}

let keys = 0;

/** A request with a new key that must succeed. */
async function post(t: TestGate, path: string, body: object): Promise<TestResponse['json']> {
  const idempotencyKey = `key-of-request-${(keys += 1)}`;
  const { status, json, text } = await t.request('POST', path, { key: t.keys.secret.test, idempotencyKey, body });
  if (status !== 200 && status !== 201) throw new Error(`POST ${path} was refused: ${text}`);
  return json;
}

async function ids(t: TestGate, path: string, id: string, max = 100): Promise<readonly string[]> {
  const { json } = await t.request('GET', path, { key: t.keys.secret.test });
  // A list of the contract.
  return (json['data'] as readonly Readonly<Record<string, string>>[]).slice(0, max).map((row) => row[id] ?? '');
}

function create(
  t: TestGate,
  idempotencyKey: string,
  amount: string,
  mode: 'test' | 'live' = 'test',
): Promise<TestResponse> {
  const body = { amount, currency: 'EUR', return_url: 'https://shop.example/done' };
  return t.request('POST', '/v1/gate_sessions', { key: t.keys.secret[mode], mode, idempotencyKey, body });
}

function cancel(t: TestGate, id: string): Promise<TestResponse> {
  return t.request('POST', `/v1/gate_sessions/${id}/cancel`, { key: t.keys.secret.test });
}

function simulate(t: TestGate, id: string, scenario: string): Promise<TestResponse> {
  const path = `/v1/test_helpers/gate_sessions/${id}/simulate`;
  return t.request('POST', path, { key: t.keys.secret.test, body: { scenario } });
}
