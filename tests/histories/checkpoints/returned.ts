import { memorySandboxLedger, sandboxProvider } from '@gateramp/adapters-provider-sandbox';
import { memoryStore } from '@gateramp/adapters-store-memory';
import { operatorRefund } from '@gateramp/conformance';
import { ACCEPTED, createTestGate, REFUSED, type TestGate } from '@gateramp/testing';
import fc from 'fast-check';
import { expect } from 'vitest';
import type { Parts } from '../moved/places.js';

export type Place = Pick<Parts, 'store' | 'ledger'>;

export type Step =
  | { readonly do: 'create' }
  | { readonly do: 'simulate'; readonly session: number; readonly scenario: string }
  | { readonly do: 'refund' | 'cancel' | 'read'; readonly session: number }
  | { readonly do: 'advance'; readonly seconds: number }
  | { readonly do: 'receiver'; readonly answers: boolean }
  | { readonly do: 'quote'; readonly kind: RailKind }
  | { readonly do: 'rail'; readonly quote: number }
  | { readonly do: 'rail_money'; readonly payment: number; readonly scenario: string }
  | { readonly do: 'rail_cancel'; readonly payment: number }
  /** A checkout whose card is saved for its buyer: at once, or with the code. */
  | { readonly do: 'checkout'; readonly buyer: number; readonly card: string; readonly isVerified: boolean }
  | { readonly do: 'code'; readonly session: number }
  | { readonly do: 'forget'; readonly buyer: number };

type RailKind = 'pay_in' | 'pay_out';

const session = fc.nat(3);
const buyer = fc.nat(1);
const SCENARIOS = [
  'succeed',
  'processing',
  'kyc_required',
  'decline',
  'settlement_error',
  'abandon',
  'charged_back',
] as const;
const STEP: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.constant({ do: 'create' } as const) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('simulate' as const),
      session,
      scenario: fc.constantFrom(...SCENARIOS),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('refund', 'cancel', 'read' as const), session }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('advance' as const), seconds: fc.constantFrom(1, 20, 90, 3_600, 100_000) }),
  },
  fc.record({ do: fc.constant('receiver' as const), answers: fc.boolean() }),
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('quote' as const),
      kind: fc.constantFrom('pay_in' as const, 'pay_out' as const),
    }),
  },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('rail' as const), quote: fc.nat(1) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('rail_money' as const),
      payment: fc.nat(1),
      scenario: fc.constantFrom('succeed', 'fail', 'processing'),
    }),
  },
  fc.record({ do: fc.constant('rail_cancel' as const), payment: fc.nat(1) }),
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('checkout' as const),
      buyer,
      card: fc.constantFrom('4242424242424242', '4000000000003220'),
      isVerified: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('code' as const), session }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('forget' as const), buyer }) },
);
export const STEPS = fc.array(STEP, { maxLength: 8, size: 'max' });
/** Begins with a quote of each kind, a payment over rails and a buyer's checkout, so that most histories use them. */
export const BEFORE = fc
  .tuple(fc.constantFrom('4242424242424242', '4000000000003220'), fc.nat(2), STEPS)
  .map(([card, quote, steps]): readonly Step[] => [
    { do: 'quote', kind: 'pay_in' },
    { do: 'quote', kind: 'pay_out' },
    // A third quote does not exist, so that both of them may be unused.
    { do: 'rail', quote },
    { do: 'checkout', buyer: 0, card, isVerified: true },
    ...steps,
  ]);

interface Sandbox {
  readonly t: TestGate;
  /** The sessions that steps name by their number. */
  readonly sessions: { readonly id: string; readonly since: number; readonly clientSecret: string }[];
  readonly quotes: { readonly id: string; readonly kind: RailKind }[];
  readonly payments: { readonly id: string; readonly kind: RailKind }[];
}

async function sandboxIn({ store, ledger }: Place): Promise<Sandbox> {
  const ports = { store, providers: [sandboxProvider({ ledger })] };
  const t = await createTestGate({ ports, policy: { testClock: 'partner' } });
  return { t, sessions: [], quotes: [], payments: [] };
}

/** A call of the partner's server, with a new idempotency key. */
const call = (t: TestGate, method: string, path: string, body: object = {}) =>
  t.request(method, path, {
    key: t.keys.secret.test,
    ...(method === 'GET' ? {} : { body: { ...body }, idempotencyKey: crypto.randomUUID() }),
  });

/** Calls of the checkout of a session, as its page makes them. */
async function checkoutOf(t: TestGate, clientSecret: string) {
  const opened = await t.request('POST', '/v1/embed/bootstrap', {
    key: t.keys.publishable.test,
    headers: { origin: 'https://shop.example' },
    body: { clientSecret },
  });
  const headers = { 'x-embed-token': String(opened.json['embed_token']) };
  return (method: string, path: string, body?: object) =>
    t.request(method, `/v1/embed/${path}`, { headers, ...(body === undefined ? {} : { body: { ...body } }) });
}

const newCheckout = async (t: TestGate, buyerNumber: number, more: object = {}) => {
  const made = await t.createSession({ ...BODY, amount: '14.10', user_reference: `buyer ${buyerNumber}`, ...more });
  return { made, send: await checkoutOf(t, made.client_secret) };
};

/** Steps of quotes and payments over rails, and of saved cards. */
async function playMore({ t, sessions, quotes, payments }: Sandbox, step: Step): Promise<void> {
  if (step.do === 'quote') {
    const side = step.kind === 'pay_in' ? 'on_ramp' : 'off_ramp';
    const body = { side, currency: 'EUR', asset: 'USDC', amount: '14.00', payment_method: 'bank_transfer' };
    const { json } = await call(t, 'POST', '/v1/quotes', { ...body, country_code: 'DE' });
    quotes.push({ id: String(json['id']), kind: step.kind });
  } else if (step.do === 'rail') {
    const quote = quotes[step.quote];
    if (quote === undefined) return;
    const own =
      quote.kind === 'pay_in'
        ? { wallet_address: WALLET }
        : { refund_address: WALLET, beneficiary: { type: 'iban', iban: IBAN, account_holder: 'Ada Example' } };
    const { status, json } = await call(t, 'POST', `/v1/rails/${quote.kind}s`, { quote_id: quote.id, ...own });
    if (status === 201) payments.push({ id: String(json['id']), kind: quote.kind });
  } else if (step.do === 'rail_money' || step.do === 'rail_cancel') {
    const payment = payments[step.payment];
    if (payment === undefined) return;
    if (step.do === 'rail_cancel') await call(t, 'POST', `/v1/rails/${payment.kind}s/${payment.id}/cancel`);
    else await call(t, 'POST', `/v1/test_helpers/rails/${payment.id}/simulate`, { scenario: step.scenario });
  } else if (step.do === 'checkout') {
    const verified = step.isVerified ? { kyc_package: { provider: 'acme', name: NAME } } : {};
    const { made, send } = await newCheckout(t, step.buyer, { amount: '25.00', ...verified });
    sessions.push({ id: made.id, since: Date.parse(made.created_at), clientSecret: made.client_secret });
    const details = { card_number: step.card, expiry: '12/39', cvc: '123', save: true };
    const attempt = { flow: 'on_ramp', amount: '25.00', currency: 'EUR', payment_method: 'card' };
    await send('POST', 'intents', { ...attempt, wallet_address: WALLET, payment_details: details });
  } else if (step.do === 'code') {
    const named = sessions[step.session];
    const intentId = named === undefined ? null : (await t.store.find('session', scopeOf(t), named.id))?.intentId;
    if (named === undefined || !intentId) return;
    const send = await checkoutOf(t, named.clientSecret);
    await send('POST', `intents/${intentId}/confirm`, { action: 'payment_authentication', code: '000000' });
  } else if (step.do === 'forget') {
    const { send } = await newCheckout(t, step.buyer);
    const [first] = await savedBy(send);
    if (first !== undefined) await send('POST', `payment_methods/${first.id}/remove`);
  }
}

const savedBy = async (send: Awaited<ReturnType<typeof checkoutOf>>) =>
  (await send('GET', 'payment_methods')).json['data'] as readonly { readonly id: string; readonly last4: string }[];

const WALLET = '0x00000000000000000000000000000000000000aa';
const IBAN = 'DE89370400440532013000';
const NAME = 'Ada Example';

async function play(sandbox: Sandbox, steps: readonly Step[]): Promise<void> {
  const { t, sessions } = sandbox;
  const key = t.keys.secret.test;
  for (const step of steps) {
    const id = 'session' in step ? sessions[step.session]?.id : undefined;
    if (step.do === 'create') {
      const made = await t.createSession();
      sessions.push({ id: made.id, since: Date.parse(made.created_at), clientSecret: made.client_secret });
    } else if (step.do === 'advance') await t.gate.advanceTestClock(step.seconds * 1_000, t.partner.id);
    else if (step.do === 'receiver') t.receiver.answerWith(() => (step.answers ? ACCEPTED : REFUSED));
    else if (!('session' in step) || step.do === 'code') await playMore(sandbox, step);
    else if (id === undefined) continue;
    else if (step.do === 'simulate')
      await t.request('POST', `/v1/test_helpers/gate_sessions/${id}/simulate`, {
        key,
        body: { scenario: step.scenario },
      });
    else if (step.do === 'refund') {
      const refid = (await t.store.find('session', scopeOf(t), id))?.txRefid;
      if (refid)
        await operatorRefund(t, {
          refid,
          body: { amount: '14.14' },
          key: `${refid}-${t.gate.clock.now({ partnerId: t.partner.id, mode: 'test' })}`,
        });
    } else if (step.do === 'cancel')
      await t.request('POST', `/v1/gate_sessions/${id}/cancel`, {
        key,
        headers: { 'idempotency-key': `${id}-${t.gate.clock.now({ partnerId: t.partner.id, mode: 'test' })}` },
      });
    else await t.retrieveSession(id);
    await t.gate.runDue();
  }
}

const scopeOf = (t: TestGate) => ({ partnerId: t.partner.id, mode: 'test' }) as const;

/** What became of quotes, payments over rails and saved cards, without ids and times. */
async function otherOutcomesOf({ t, quotes, payments }: Sandbox): Promise<unknown> {
  const read = async (path: string) => (await call(t, 'GET', path)).json;
  return {
    quotes: await Promise.all(quotes.map(async ({ id }) => (await read(`/v1/quotes/${id}`))['status'])),
    payments: await Promise.all(
      payments.map(async ({ id, kind }) => (await read(`/v1/rails/${kind}s/${id}`))['status']),
    ),
    cards: await Promise.all(
      [0, 1].map(async (one) => (await savedBy((await newCheckout(t, one)).send)).map(({ last4 }) => last4)),
    ),
  };
}

/** What became of the sessions, without ids and times. `skipped`: payments that began in this span. */
async function outcomeOf({ t, sessions }: Sandbox, skipped: readonly [number, number] | null): Promise<unknown> {
  const outcomes = [];
  for (const { id } of sessions) {
    const read = await t.retrieveSession(id);
    const { data } = (await t.gate.transactions.list(scopeOf(t), { session_id: id, limit: 100 }))._unsafeUnwrap();
    const own = data.filter(({ created_at: at }) => {
      const since = Date.parse(at);
      return skipped === null || since < skipped[0] || since > skipped[1];
    });
    outcomes.push({
      status: read.status,
      failure: own.map((one) => one.failure?.code ?? null),
      payments: own.map((one) => [one.status, one.amount_refunded, one.refunds.map(({ status }) => status)]),
      disputes: own.map((one) => one.disputes.map(({ status, amount }) => [status, amount])),
    });
  }
  return outcomes;
}

const rowsOf = async (t: TestGate, scope: { readonly partnerId: string; readonly mode: 'test' | 'live' }) => {
  const page = { start: { kind: 'newest' }, limit: 100 } as const;
  const times = { createdAfter: null, createdBefore: null, status: null } as const;
  const filter = { ...times, flow: null, currency: null, userReference: null, sessionId: null };
  const deliveries = { ...times, target: null, eventType: null, eventId: null, sessionId: null };
  return JSON.stringify([
    await t.store.list('session', scope, filter, page, 0),
    await t.store.list('transaction', scope, filter, page),
    await t.store.list('delivery', scope, deliveries, page),
    await t.store.list('event', scope, { ...times, type: null, sessionId: null }, page),
  ]);
};

/** The same steps after a return, and in a sandbox that never left, lead to the same; nothing that was announced changes. */
export async function judge(
  places: readonly [Place, Place],
  before: readonly Step[],
  aside: readonly Step[],
  after: readonly Step[],
): Promise<void> {
  const [straight, returned] = [await sandboxIn(places[0]), await sandboxIn(places[1])];
  await play(straight, [...before, { do: 'advance', seconds: 1 }]);
  await play(straight, after);

  const { t } = returned;
  const { checkpoints } = t.gate.admin;
  await play(returned, before);
  await play(returned, [{ do: 'receiver', answers: true }, ...(isBroken(before) ? [BREAK] : [])]);
  const other = await t.gate.admin.createPartner({ name: 'Other', allowedOrigins: ['https://shop.example'] });
  const others = { partnerId: other.id, mode: 'test' } as const;
  (await t.gate.sessions.create(others, BODY))._unsafeUnwrap();
  const saved = (await checkpoints.create(t.partner.id, 'here'))._unsafeUnwrap();
  await t.gate.advanceTestClock(1_000, t.partner.id);
  const left = t.gate.clock.now(scopeOf(t));
  const { sessions, quotes, payments } = returned;
  const counts = [sessions, quotes, payments].map(({ length }) => length);
  await play(returned, aside);
  const [events, otherRows] = [await eventsOf(t), await rowsOf(t, others)];
  const live = await rowsOf(t, { partnerId: t.partner.id, mode: 'live' });
  (await checkpoints.return(t.partner.id, saved.id))._unsafeUnwrap();
  expect(await rowsOf(t, others)).toBe(otherRows);
  expect(await rowsOf(t, { partnerId: t.partner.id, mode: 'live' })).toBe(live);
  [sessions, quotes, payments].forEach((list, at) => list.splice(counts[at] ?? 0));
  await t.gate.advanceTestClock(1_000, t.partner.id);
  const back = t.gate.clock.now(scopeOf(t));
  await play(returned, [{ do: 'receiver', answers: !isBroken(before) }]);
  await play(returned, after);

  expect(await outcomeOf(returned, [left, back - 1_000])).toEqual(await outcomeOf(straight, null));
  expect(await otherOutcomesOf(returned)).toEqual(await otherOutcomesOf(straight));
  const kept = await t.store.list('document', scopeOf(t), 'sandbox_checkpoint_rows', ALL, NEWEST);
  expect(JSON.stringify(kept)).not.toMatch(/"last4|4000000000003220|Ada Example/);
  const all = await eventsOf(t);
  const known = new Set(events.map(({ id }) => id));
  expect(all.filter(({ id }) => known.has(id))).toEqual(events);
  for (const id of new Set(all.map((one) => one.session))) {
    const own = all.filter((one) => one.session === id).map(({ sequence }) => sequence);
    expect(own.toSorted((one, another) => Number(one) - Number(another))).toEqual(own.map((_, at) => at + 1));
  }
}

const ALL = { group: null, createdAfter: null, createdBefore: null };
const NEWEST = { start: { kind: 'newest' }, limit: 100 } as const;
const BREAK: Step = { do: 'receiver', answers: false };
const BODY = { amount: '100.00', currency: 'EUR', return_url: 'https://shop.example/done' };
const isBroken = (steps: readonly Step[]) => steps.findLast((one) => one.do === 'receiver')?.answers === false;

/** Events of sessions in the order of their numbers, session by session in the order of creation of events. */
async function eventsOf(t: TestGate) {
  const rows = await t.store.list(
    'event',
    scopeOf(t),
    { type: null, sessionId: null, createdAfter: null, createdBefore: null },
    { start: { kind: 'newest' }, limit: 1_000 },
  );
  return rows
    .toReversed()
    .filter(({ sessionId }) => sessionId !== null)
    .map(({ id, sessionId, sequence, body }) => ({ id, session: sessionId, sequence, body }));
}

export const memoryPlace = (): Place => ({ store: memoryStore(), ledger: memorySandboxLedger() });
