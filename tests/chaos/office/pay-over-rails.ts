import { jsonOf, pause, textIn } from '../lib/ask.js';
import { codeOf, once, posted, read, wrong, type Office } from './office.js';

const attemptsMax = 20;
const lookAgainMs = 700;
const wallet = '0x00000000000000000000000000000000000A11cE';
const iban = 'DE89370400440532013000';

type Rail = 'pay_in' | 'pay_out';

/**
 * A rails payment until it ends as intended: a quote, the payment, and its money, which arrives, fails, or is not
 * awaited.
 */
export async function payOverRails(office: Office, name: string, number: number): Promise<void> {
  const rail = number % 2 === 0 ? 'pay_in' : 'pay_out';
  for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
    const key = `${name}-${attempt}`;
    const quote = await quoted(office, rail, key);
    if (quote === null) return;
    const taken = await takenUp(office, rail, key, quote);
    if (taken === 'expired') continue;
    if (typeof taken !== 'object' || taken === null) return;
    const made = taken.payment;
    const begun = await seenAfter(office, rail, made, ['created']);
    if (begun === null) return;
    // The process died before the provider received it: no money moved, and it may be repeated.
    if (begun === 'failed') continue;
    if (begun === 'requires_action') await carriedOut(office, rail, made, number);
    if ((await seenAfter(office, rail, made, ['requires_action', 'processing'])) !== null) return;
  }
}

async function quoted(office: Office, rail: Rail, key: string): Promise<string | null> {
  const body = {
    side: rail === 'pay_in' ? 'on_ramp' : 'off_ramp',
    currency: 'EUR',
    asset: 'USDC',
    amount: '100.00',
    country_code: 'DE',
    payment_method: 'bank_transfer',
  };
  const answer = await once(office, office.api, 'quote', '/v1/quotes', posted(office.keys.test, `${key}-quote`, body));
  if (answer === null) return null;
  if (answer.status === 201) return textIn(jsonOf(answer.text), 'id');
  wrong(office, 'quote', key, answer);
  return null;
}

/** The result of a quote: a payment, or the refusal. */
type Taken = { readonly payment: string } | 'expired' | 'used';

/** Sometimes two requests use the same quote at once, each with its own key: one succeeds. */
async function takenUp(office: Office, rail: Rail, key: string, quote: string): Promise<Taken | null> {
  const keys = office.luck.isHit(0.2) ? [key, `${key}-rival`] : [key];
  const answers = await Promise.all(keys.map((one) => pay(office, rail, one, quote)));
  return answers.find((answer) => answer !== null && answer !== 'used') ?? null;
}

async function pay(office: Office, rail: Rail, key: string, quote: string): Promise<Taken | null> {
  const own =
    rail === 'pay_in'
      ? { wallet_address: wallet }
      : { refund_address: wallet, beneficiary: { type: 'iban', iban, account_holder: 'Ada Example' } };
  const question = posted(office.keys.test, key, { quote_id: quote, user_reference: key, ...own });
  const answer = await once(office, office.api, rail, `/v1/rails/${rail}s`, question);
  if (answer === null) office.write({ kind: 'open', what: 'payment', key, quote, atMost: 1 });
  if (answer === null) return null;
  const payment = textIn(jsonOf(answer.text), 'id');
  if (answer.status === 201 && payment !== null) {
    office.write({ kind: 'payment', key, rail, payment, quote });
    return { payment };
  }
  if (codeOf(answer) === 'quote_already_used') return 'used';
  if (codeOf(answer) === 'quote_expired') return 'expired';
  wrong(office, rail, key, answer);
  return null;
}

/** Most are paid, some immediately and some later; some fail, some are cancelled. */
async function carriedOut(office: Office, rail: Rail, payment: string, number: number): Promise<void> {
  const way = Math.floor(number / 2) % 5;
  if (way === 0) {
    const answer = await office.api(
      'cancel',
      `/v1/rails/${rail}s/${payment}/cancel`,
      posted(office.keys.test, payment, null),
    );
    // If the response to a cancel was lost, the payment is found cancelled.
    if (answer !== null && answer.status !== 200 && codeOf(answer) !== 'intent_not_confirmable')
      wrong(office, 'cancel', payment, answer);
    return;
  }
  for (const scenario of WAYS[way] ?? ['succeed']) {
    const path = `/v1/test_helpers/rails/${payment}/simulate`;
    const question = posted(office.keys.test, `${payment}-${scenario}`, { scenario });
    const answer = await once(office, office.api, 'simulate', path, question);
    if (answer === null) return;
    if (answer.status !== 200) wrong(office, 'simulate', payment, answer);
  }
}

const WAYS: Readonly<Record<number, readonly string[]>> = {
  1: ['processing', 'succeed'],
  2: ['processing', 'fail'],
};

/** Logs and returns its next status; null at the deadline. */
async function seenAfter(
  office: Office,
  rail: Rail,
  payment: string,
  statuses: readonly string[],
): Promise<string | null> {
  for (;;) {
    const answer = await office.api('look', `/v1/rails/${rail}s/${payment}`, read(office.keys.test));
    if (answer === null) return null;
    const said = jsonOf(answer.text);
    const [status, refid] = [textIn(said, 'status'), textIn(said, 'tx_refid')];
    if (answer.status !== 200 || status === null || refid === null) {
      wrong(office, 'look', payment, answer);
      return null;
    }
    if (!statuses.includes(status)) {
      office.write({ kind: 'payment_seen', payment, status, refid });
      return status;
    }
    if (performance.now() > office.deadline.at) return null;
    await pause(lookAgainMs);
  }
}
