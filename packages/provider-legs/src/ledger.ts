import { decimal, type Instant, type Side } from '@gateramp/core/domain';
import type { DepositReturn, Operation, Resolution } from './operation.js';
import type { Deposit } from './ports/legs.js';
import type { Balance, LedgerEntry, Posting } from './ports/legs-store.js';
import type { Price } from './price.js';

/**
 * The movements of an operation, double entry. `customer` is what the house owes the buyer of it, as a negative balance: once an
 * operation is at rest it is zero, so nothing was taken without being delivered or returned.
 */
export const CUSTOMER = 'customer';

const CAPTURE = 'capture';
const CHARGEBACK = 'chargeback';
const OUT = 'out';

interface Resolved {
  readonly as: Resolution['as'];
  readonly owed: readonly Pick<Balance, 'currency' | 'amount'>[];
  readonly isDelivered: boolean;
  readonly now: Instant;
}

/** Whether an entry says that what was bought went out. */
export function isDelivery({ id }: LedgerEntry, operation: Operation): boolean {
  return id === entryId(operation, OUT);
}

/** Whether an entry says that the buyer paid. */
export function isCapture({ id }: LedgerEntry, operation: Operation): boolean {
  return id === entryId(operation, CAPTURE);
}

/** What legs hold for the house, and what the house earns. */
export const ACCOUNTS = {
  fiat: 'fiat',
  chain: 'chain',
  exchange: 'exchange',
  fees: 'fees',
  /** Positions that the house was left with when a converted purchase was undone. */
  house: 'house',
  /** What refunds and chargebacks of delivered purchases cost. */
  losses: 'losses',
} as const;

/** The buyer's card or bank paid. */
export function captured(operation: Operation, { source }: Price, now: Instant): LedgerEntry {
  return entry(operation, CAPTURE, now, transfer(ACCOUNTS.fiat, CUSTOMER, source.amount, source.currency));
}

/** A deposit reached its confirmations. */
export function deposited(operation: Operation, deposit: Deposit, now: Instant): LedgerEntry {
  const side = { currency: deposit.asset, network: deposit.network };
  return entry(
    operation,
    `deposit:${depositKey(deposit)}`,
    now,
    transfer(holding(side), CUSTOMER, deposit.amount, symbol(side)),
  );
}

/** Names one deposit of an operation. */
export function depositKey({ hash, index }: Pick<Deposit, 'hash' | 'index'>): string {
  return `${hash}:${index}`;
}

/** A deposit, or what of it was too much, went back less its network fee. What is not worth sending back is a fee as a whole. */
export function returned(
  operation: Operation,
  { deposit, asset, network, amount, fee }: DepositReturn,
  now: Instant,
): LedgerEntry {
  const side = { currency: asset, network };
  return entry(operation, `return:${deposit}`, now, [
    ...transfer(CUSTOMER, holding(side), amount, symbol(side)),
    ...transfer(CUSTOMER, ACCOUNTS.fees, fee, symbol(side)),
  ]);
}

/** The buyer's money was exchanged, and the fees were earned. */
export function converted(operation: Operation, price: Price, now: Instant): LedgerEntry {
  return entry(operation, 'convert', now, conversionPostings(price, ACCOUNTS.exchange));
}

/** A conversion undone: the buyer has the money again, and the house both sides of the position. */
export function unconverted(operation: Operation, price: Price, now: Instant): LedgerEntry {
  const postings = conversionPostings(price, ACCOUNTS.house).map((posting) => ({
    ...posting,
    amount: decimal.subtract('0', posting.amount),
  }));
  return entry(operation, 'unconvert', now, postings);
}

/** What was bought went out: tokens to a wallet, or money to an account. */
export function moneyOut(operation: Operation, price: Price, now: Instant): LedgerEntry {
  const { destination } = price;
  return entry(operation, OUT, now, transfer(CUSTOMER, holding(destination), destination.amount, symbol(destination)));
}

/** What the card or bank paid went back whole. */
export function paidBack(operation: Operation, { source }: Price, now: Instant): LedgerEntry {
  return entry(operation, 'refund', now, transfer(CUSTOMER, ACCOUNTS.fiat, source.amount, source.currency));
}

/** The buyer's bank took the payment back before anything was delivered. */
export function reversed(operation: Operation, { source }: Price, now: Instant): LedgerEntry {
  return entry(operation, CHARGEBACK, now, transfer(CUSTOMER, ACCOUNTS.fiat, source.amount, source.currency));
}

/** The buyer's bank took the payment back after a delivery or a refund. */
export function chargebackLoss(operation: Operation, { source }: Price, now: Instant): LedgerEntry {
  return loss(operation, CHARGEBACK, source.amount, source.currency, now);
}

/**
 * An operator ended the operation. What went back to the buyer left the account that held it; otherwise the house keeps what was owed,
 * and what it delivered by hand left the chain or the bank. A delivery that is booked already (a surplus was stuck) is not booked again.
 * Null when there is nothing to book.
 */
export function resolved(operation: Operation, { as, owed, isDelivered, now }: Resolved): LedgerEntry | null {
  const { price } = operation;
  const settled = owed.flatMap(({ currency, amount }) =>
    transfer(CUSTOMER, as === 'refunded' ? accountOf(currency) : ACCOUNTS.house, amount, currency),
  );
  const delivered =
    as !== 'delivered' || isDelivered || price === null
      ? []
      : transfer(ACCOUNTS.house, holding(price.destination), price.destination.amount, symbol(price.destination));
  const postings = [...settled, ...delivered];
  return postings.length === 0 ? null : entry(operation, 'resolution', now, postings);
}

/** Money that was returned after a delivery. */
export function loss(operation: Operation, id: string, amount: string, currency: string, now: Instant): LedgerEntry {
  return entry(operation, id, now, transfer(ACCOUNTS.losses, ACCOUNTS.fiat, amount, currency));
}

function conversionPostings(
  { source, destination, sourceSubtotal, feeTotal }: Price,
  market: string,
): readonly Posting[] {
  const given = symbol(source);
  const taken = symbol(destination);
  return [
    ...transfer(CUSTOMER, market, sourceSubtotal, given),
    ...transfer(CUSTOMER, ACCOUNTS.fees, feeTotal, given),
    ...transfer(market, CUSTOMER, destination.amount, taken),
  ];
}

/** Adds to one account what it takes from the other. */
function transfer(to: string, from: string, amount: string, currency: string): readonly Posting[] {
  return [
    { account: to, currency, amount },
    { account: from, currency, amount: decimal.subtract('0', amount) },
  ];
}

/** The account that holds a side: fiat money at the fiat leg, tokens on their network. */
function holding({ network }: Pick<Side, 'network'>): string {
  return network === null ? ACCOUNTS.fiat : `${ACCOUNTS.chain}:${network}`;
}

/** The account that holds a currency of the ledger. */
function accountOf(currency: string): string {
  const at = currency.indexOf('@');
  return holding({ network: at < 0 ? null : currency.slice(at + 1) });
}

/** Tokens of two networks are two currencies. */
function symbol({ currency, network }: { readonly currency: string; readonly network: string | null }): string {
  return network === null ? currency : `${currency}@${network}`;
}

function entry(operation: Operation, movement: string, at: Instant, postings: readonly Posting[]): LedgerEntry {
  return { id: entryId(operation, movement), operationId: operation.operationId, at, postings };
}

const entryId = ({ operationId }: Operation, movement: string): string => `${operationId}:${movement}`;
