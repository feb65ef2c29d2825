import type { StatementLine, StatementQuery } from '@gateramp/provider-legs';
import type Stripe from 'stripe';
import { fromStripeAmount } from './amounts.js';
import { StripeUnknownResultError } from './errors.js';
import type { StripeFiatOptions } from './options.js';
import { paymentOf, request } from './requests.js';

/** Newer balance transactions are read later: Stripe may still list another one before them. */
const SETTLED_SECONDS = 60;
const PAGE_MAX = 100;

/** The balance transactions of the account after one of them, oldest first. Those of payments that this leg made are `operation`. */
export async function readStatement(
  options: StripeFiatOptions,
  { after, since, limit }: StatementQuery,
): Promise<readonly StatementLine[]> {
  const params = {
    created: {
      lt: Math.floor(Date.now() / 1_000) - SETTLED_SECONDS,
      ...(since === null ? {} : { gte: Math.floor(since / 1_000) }),
    },
    expand: ['data.source'],
    limit: Math.min(limit, PAGE_MAX),
  };
  const newestFirst =
    after === null ? await oldestPage(options, params) : await page(options, { ...params, ending_before: after });
  const lines: StatementLine[] = [];
  for (const transaction of newestFirst.toReversed()) lines.push(await lineOf(options, transaction));
  return lines.slice(0, limit);
}

/** Stripe lists the newest first, so the oldest page is found by reading all since then. Only the first call of an installation does. */
async function oldestPage(
  options: StripeFiatOptions,
  params: Stripe.BalanceTransactionListParams,
): Promise<readonly Stripe.BalanceTransaction[]> {
  let found = await page(options, params);
  for (let last = found.at(-1); last !== undefined;) {
    const next = await page(options, { ...params, starting_after: last.id });
    last = next.at(-1);
    if (last !== undefined) found = next;
  }
  return found;
}

async function page(
  options: StripeFiatOptions,
  params: Stripe.BalanceTransactionListParams,
): Promise<readonly Stripe.BalanceTransaction[]> {
  const read = await request(options, 'balance_transactions.list', () =>
    options.stripe.balanceTransactions.list(params),
  );
  if (read.kind === 'done') return read.value.data;
  throw new StripeUnknownResultError('balance_transactions.list', read.code, null);
}

async function lineOf(options: StripeFiatOptions, transaction: Stripe.BalanceTransaction): Promise<StatementLine> {
  const { id, created, amount, fee, type } = transaction;
  const currency = transaction.currency.toUpperCase();
  const source = typeof transaction.source === 'string' ? null : transaction.source;
  const paid = source === null ? null : await paymentOfSource(options, source);
  const isOwn = paid !== null;
  return {
    id,
    at: created * 1_000,
    currency,
    amount: fromStripeAmount(amount, currency),
    fee: fromStripeAmount(fee, currency),
    kind: isOwn ? 'operation' : (KINDS[type] ?? 'outside'),
    original: isOwn && source !== null ? originalOf(source, amount) : null,
    authorizationId: source?.object === 'charge' ? null : (paid?.authorizationId ?? null),
  };
}

const KINDS: Readonly<Partial<Record<Stripe.BalanceTransaction.Type, StatementLine['kind']>>> = {
  stripe_fee: 'fee',
  stripe_fx_fee: 'fee',
  tax_fee: 'fee',
  payout: 'payout',
  payout_cancel: 'payout',
  payout_failure: 'payout',
  topup: 'payout',
  topup_reversal: 'payout',
};

/** The payment of this leg to which a charge, refund or dispute belongs; null for any other source. */
function paymentOfSource(options: StripeFiatOptions, source: Stripe.BalanceTransactionSource) {
  if (source.object !== 'charge' && source.object !== 'refund' && source.object !== 'dispute') return null;
  return paymentOf(options, source.payment_intent);
}

/** The amount in the currency of the payment, with the sign of the change. */
function originalOf(source: Stripe.BalanceTransactionSource, change: number): StatementLine['original'] {
  if (source.object !== 'charge' && source.object !== 'refund' && source.object !== 'dispute') return null;
  const units = source.object === 'charge' ? source.amount_captured : source.amount;
  const currency = source.currency.toUpperCase();
  return { amount: fromStripeAmount(change < 0 ? -units : units, currency), currency };
}
