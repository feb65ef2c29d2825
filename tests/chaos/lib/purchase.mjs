import { jsonOf, pause } from './ask.mjs';

const cards = { succeeds: '4242424242424242', declines: '4000000000000002', authenticates: '4000000000003220' };
const wallet = '0x00000000000000000000000000000000000A11cE';
const settleMs = 5_300;
const lookAgainMs = 1_500;
/** More attempts than faults can explain. */
const attemptsMax = 40;

/** A buyer who does not give up: opens the checkout, pays, tries again whatever may be tried again, and waits until the session is completed. */
export async function purchase(shop, partner, key, session, number) {
  const token = await openCheckout(shop, partner, session);
  if (token === null) return shop.log.write({ kind: 'unfinished', key, session: session.id, at: Date.now() });
  const intents = [];
  for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
    const intent = await pay(shop, token, `${key}-${attempt}`, cardFor(number, attempt));
    if (intent === null) break;
    if (intent.id !== undefined) intents.push(intent.id);
    const end = intent.id === undefined ? intent : await followed(shop, token, intent);
    if (end === null) break;
    if (end.status === 'succeeded') {
      const completed = await sessionOf(shop, partner, session.id);
      return shop.log.write({
        kind: 'bought',
        key,
        session: session.id,
        status: completed?.status ?? null,
        refid: end.tx_refid,
        intents,
        at: Date.now(),
      });
    }
    if (end.failure?.retryable === false || end.refusal !== undefined) {
      return shop.log.write({
        kind: 'wrong',
        what: 'purchase',
        at: Date.now(),
        key,
        code: end.refusal ?? end.failure.code,
        status: end.status,
      });
    }
  }
  shop.log.write({ kind: 'unfinished', key, session: session.id, intents, at: Date.now() });
}

/** Some cards are declined first, some ask for a code. */
function cardFor(number, attempt) {
  const kind = Math.floor(number / 7) % 10;
  if (kind === 0 && attempt === 1) return cards.declines;
  return kind === 1 ? cards.authenticates : cards.succeeds;
}

async function openCheckout(shop, partner, session) {
  const answer = await shop.ask('bootstrap', '/v1/embed/bootstrap', {
    method: 'POST',
    headers: { authorization: `Bearer ${partner.publishableKey}`, origin: partner.origin },
    body: { clientSecret: session.client_secret },
  });
  return answer?.status === 200 ? jsonOf(answer.text).embed_token : null;
}

async function pay(shop, token, key, card) {
  const answer = await shop.ask('intent', '/v1/embed/intents', {
    method: 'POST',
    headers: { 'x-embed-token': token, 'idempotency-key': key },
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

function intentOrRefusal(answer, status) {
  const body = jsonOf(answer.text);
  return answer.status === status ? body : { refusal: body?.code ?? 'no_envelope', status: answer.status };
}

/** To its end, whatever is asked for on the way. */
async function followed(shop, token, first) {
  let intent = first;
  for (let step = 1; ; step += 1) {
    if (intent === null || intent.refusal !== undefined) return intent;
    if (['succeeded', 'failed', 'cancelled'].includes(intent.status)) return intent;
    if (performance.now() > shop.deadline.at) return null;
    if (intent.status === 'requires_action') await confirm(shop, token, intent, step);
    await pause(step === 1 ? settleMs : lookAgainMs);
    intent = await looked(shop, token, first.id);
  }
}

/** A confirmation that comes too late, as the one before had arrived after all, is nothing to worry about: the next look tells. */
async function confirm(shop, token, intent, step) {
  await shop.ask('confirm', `/v1/embed/intents/${intent.id}/confirm`, {
    method: 'POST',
    headers: { 'x-embed-token': token, 'idempotency-key': `${intent.id}-${step}` },
    body: { action: 'payment_authentication', code: '000000' },
  });
}

async function looked(shop, token, id) {
  const answer = await shop.ask('look', `/v1/embed/intents/${id}`, { headers: { 'x-embed-token': token } });
  return answer === null ? null : intentOrRefusal(answer, 200);
}

async function sessionOf(shop, partner, id) {
  const answer = await shop.ask('session', `/v1/gate_sessions/${id}`, {
    headers: { authorization: `Bearer ${partner.secretKey}` },
  });
  return answer?.status === 200 ? jsonOf(answer.text) : null;
}
