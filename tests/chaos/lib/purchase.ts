import { jsonOf, pause, textIn } from './ask.js';
import type { CreatedSession } from './create-session.js';
import type { ShopperPartner } from './orders.js';
import type { Shop, TriedAnswer } from './shop.js';

const cards = { succeeds: '4242424242424242', declines: '4000000000000002', authenticates: '4000000000003220' };
const wallet = '0x00000000000000000000000000000000000A11cE';
const settleMs = 5_300;
const lookAgainMs = 1_500;
/** More attempts than faults can explain. */
const attemptsMax = 40;

/** The members of an intent that a buyer reads. */
interface Intent {
  readonly id: string;
  readonly status: string;
  readonly failure: { readonly code: string; readonly retryable: boolean } | null;
  readonly tx_refid: string;
}

interface Refusal {
  readonly refusal: string;
  readonly status: number;
}

/**
 * A persistent buyer: opens the checkout, pays, repeats what may be repeated, and waits until the session is
 * completed.
 */
export async function purchase(
  shop: Shop,
  partner: ShopperPartner,
  key: string,
  session: CreatedSession,
  number: number,
): Promise<void> {
  const token = await openCheckout(shop, partner, session);
  if (token === null) return shop.log.write({ kind: 'unfinished', key, session: session.id, at: Date.now() });
  const intents: string[] = [];
  for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
    const intent = await pay(shop, token, `${key}-${attempt}`, cardFor(number, attempt));
    if (intent === null) break;
    if ('refusal' in intent) return wrong(shop, key, intent.refusal, intent.status);
    intents.push(intent.id);
    const end = await followed(shop, token, intent);
    if (end === null) break;
    if ('refusal' in end) return wrong(shop, key, end.refusal, end.status);
    if (end.status === 'succeeded') {
      const status = await statusOf(shop, partner, session.id);
      return shop.log.write({
        kind: 'bought',
        key,
        session: session.id,
        status,
        refid: end.tx_refid,
        intents,
        at: Date.now(),
      });
    }
    if (end.failure?.retryable === false) return wrong(shop, key, end.failure.code, end.status);
  }
  shop.log.write({ kind: 'unfinished', key, session: session.id, intents, at: Date.now() });
}

function wrong(shop: Shop, key: string, code: string, status: string | number): void {
  shop.log.write({ kind: 'wrong', what: 'purchase', at: Date.now(), key, code, status });
}

/** Some cards are declined first, some ask for a code. */
function cardFor(number: number, attempt: number): string {
  const kind = Math.floor(number / 7) % 10;
  if (kind === 0 && attempt === 1) return cards.declines;
  return kind === 1 ? cards.authenticates : cards.succeeds;
}

async function openCheckout(shop: Shop, partner: ShopperPartner, session: CreatedSession): Promise<string | null> {
  const answer = await shop.ask('bootstrap', '/v1/embed/bootstrap', {
    method: 'POST',
    headers: { authorization: `Bearer ${partner.publishableKey}`, origin: partner.origin },
    body: { clientSecret: session.clientSecret },
  });
  return answer?.status === 200 ? textIn(jsonOf(answer.text), 'embed_token') : null;
}

async function pay(shop: Shop, token: string, key: string, card: string): Promise<Intent | Refusal | null> {
  const answer = await shop.ask('intent', '/v1/embed/intents', {
    method: 'POST',
    headers: { 'x-embed-token': token, 'idempotency-key': key },
    isOfCheckout: true,
    body: {
      flow: 'on_ramp',
      amount: '25.00',
      currency: 'EUR',
      wallet_address: wallet,
      payment_method: 'card',
      payment_details: { card_number: card, expiry: '12/39', cvc: '123' },
    },
  });
  return answer === null ? null : intentOrRefusal(answer, 201);
}

/** A response with the status of an intent is an intent; the conformance laws check its shape. */
function intentOrRefusal(answer: TriedAnswer, status: number): Intent | Refusal {
  if (answer.status === status) return JSON.parse(answer.text) as Intent;
  return { refusal: textIn(jsonOf(answer.text), 'code') ?? 'no_envelope', status: answer.status };
}

/** Until it ends, completing every required action. */
async function followed(shop: Shop, token: string, first: Intent): Promise<Intent | Refusal | null> {
  let intent: Intent | Refusal | null = first;
  for (let step = 1; ; step += 1) {
    if (intent === null || 'refusal' in intent) return intent;
    if (['succeeded', 'failed', 'cancelled'].includes(intent.status)) return intent;
    if (performance.now() > shop.deadline.at) return null;
    if (intent.status === 'requires_action') await confirm(shop, token, intent, step);
    await pause(step === 1 ? settleMs : lookAgainMs);
    intent = await looked(shop, token, first.id);
  }
}

/** A confirmation may be too late because an earlier one arrived after all; the next read shows it. */
async function confirm(shop: Shop, token: string, intent: Intent, step: number): Promise<void> {
  await shop.ask('confirm', `/v1/embed/intents/${intent.id}/confirm`, {
    method: 'POST',
    headers: { 'x-embed-token': token, 'idempotency-key': `${intent.id}-${step}` },
    body: { action: 'payment_authentication', code: '000000' },
  });
}

async function looked(shop: Shop, token: string, id: string): Promise<Intent | Refusal | null> {
  const answer = await shop.ask('look', `/v1/embed/intents/${id}`, { headers: { 'x-embed-token': token } });
  return answer === null ? null : intentOrRefusal(answer, 200);
}

async function statusOf(shop: Shop, partner: ShopperPartner, id: string): Promise<string | null> {
  const answer = await shop.ask('session', `/v1/gate_sessions/${id}`, {
    headers: { authorization: `Bearer ${partner.secretKey}` },
  });
  return answer?.status === 200 ? textIn(jsonOf(answer.text), 'status') : null;
}
