import { decimal, type Instant, type Side } from '@gateramp/core/domain';
import { callIdOf, type DepositReturn, type Operation, type Resolution } from './operation.js';
import type { Deposit } from './ports/legs.js';
import type { Balance, LedgerEntry, Posting } from './ports/legs-store.js';
import type { Price } from './price.js';

/**
 * The movements of an operation, double entry. `customer` is what the house owes the buyer of it, as a negative balance: once an
 * operation is at rest it is zero, so nothing was taken without being delivered or returned.
 */
export const CUSTOMER = 'customer';

const CAPTURE = 'capture';
const REFUND = 'refund';
const OUT = 'out';
const RESOLUTION = 'resolution';
const OUT_BY_HAND = `${RESOLUTION}:delivered`;

interface Resolved {
  readonly as: Resolution['as'];
  readonly owed: readonly Pick<Balance, 'currency' | 'amount'>[];
  /** What is booked already. */
  readonly entries: readonly LedgerEntry[];
  readonly now: Instant;
}

/** Whether an entry says that what was bought went out, by the legs or by hand. */
export function isDelivery({ id }: LedgerEntry, operation: Operation): boolean {
  return id === entryId(operation, OUT) || id === entryId(operation, OUT_BY_HAND);
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
  return entry(operation, 'unconvert', now, conversionPostings(price, ACCOUNTS.house).map(negated));
}

/** What was bought went out: tokens to a wallet, or money to an account. */
export function moneyOut(operation: Operation, price: Price, now: Instant): LedgerEntry {
  const { destination } = price;
  return entry(operation, OUT, now, transfer(CUSTOMER, holding(destination), destination.amount, symbol(destination)));
}

/** What the card or bank paid went back whole. */
export function paidBack(operation: Operation, { source }: Price, now: Instant): LedgerEntry {
  return entry(operation, REFUND, now, transfer(CUSTOMER, ACCOUNTS.fiat, source.amount, source.currency));
}

/** The buyer's bank took money back: first what the buyer was owed, and beyond it a loss. */
export function chargedBack(operation: Operation, dispute: BookedDispute, now: Instant): LedgerEntry {
  return entry(operation, `chargeback:${dispute.id}`, now, chargebackPostings(operation, dispute));
}

/** The bank gave back what it had taken. */
export function disputeWon(operation: Operation, dispute: BookedDispute, now: Instant): LedgerEntry {
  return entry(operation, `dispute_won:${dispute.id}`, now, chargebackPostings(operation, dispute).map(negated));
}

/** A refund came back from the bank: the buyer is owed it again. `refund` is the movement that it undoes. */
export function refundReturned(
  operation: Operation,
  refund: string,
  { amount, currency }: Pick<Balance, 'amount' | 'currency'>,
  now: Instant,
): LedgerEntry {
  return entry(operation, `${refund}:returned`, now, transfer(ACCOUNTS.fiat, CUSTOMER, amount, currency));
}

/** The movement of a refund by the call that made it: that of a payment that could not be delivered, or one that the partner asked for. */
export function refundMovement(operation: Operation, callId: string): string {
  return callId === callIdOf(operation, 'refund') ? REFUND : `${REFUND}:${callId}`;
}

/** Whether the movement is among the entries. */
export function isBooked(entries: readonly LedgerEntry[], operation: Operation, movement: string): boolean {
  return entries.some(({ id }) => id === entryId(operation, movement));
}

/** What entries of an operation leave the buyer owed in a currency. */
export function owedBy(entries: readonly LedgerEntry[], currency: string): string {
  return entries
    .flatMap(({ postings }) => postings)
    .filter((posting) => posting.account === CUSTOMER && posting.currency === currency)
    .reduce((owed, { amount }) => decimal.subtract(owed, amount), '0');
}

interface BookedDispute {
  readonly id: string;
  readonly amount: string;
  readonly settled: string;
}

function chargebackPostings({ price }: Operation, { amount, settled }: BookedDispute): readonly Posting[] {
  const currency = price?.source.currency ?? '';
  const lost = decimal.subtract(amount, settled);
  return [
    ...(decimal.isPositive(settled) ? transfer(CUSTOMER, ACCOUNTS.fiat, settled, currency) : []),
    ...(decimal.isPositive(lost) ? transfer(ACCOUNTS.losses, ACCOUNTS.fiat, lost, currency) : []),
  ];
}

/**
 * An operator ended the operation. What went back to the buyer left the account that held it; otherwise the house keeps what was owed,
 * and what it delivered by hand left the chain or the bank. A delivery that is booked already (a surplus was stuck) is not booked again.
 * Null when there is nothing to book.
 */
export function resolved(operation: Operation, { as, owed, entries, now }: Resolved): LedgerEntry | null {
  const { price } = operation;
  const isDelivered = entries.some((one) => isDelivery(one, operation));
  const settled = owed.flatMap(({ currency, amount }) =>
    transfer(CUSTOMER, as === 'refunded' ? accountOf(currency) : ACCOUNTS.house, amount, currency),
  );
  const delivered =
    as !== 'delivered' || isDelivered || price === null
      ? []
      : transfer(ACCOUNTS.house, holding(price.destination), price.destination.amount, symbol(price.destination));
  const postings = [...settled, ...delivered];
  return postings.length === 0
    ? null
    : entry(operation, resolutionMovement(operation, delivered, entries), now, postings);
}

/** An operation may wait for an operator more than once: for a late deposit, or after a dispute. */
function resolutionMovement(
  operation: Operation,
  delivered: readonly Posting[],
  entries: readonly LedgerEntry[],
): string {
  if (delivered.length > 0) return OUT_BY_HAND;
  const before = entries.filter(({ id }) => id.startsWith(entryId(operation, RESOLUTION))).length;
  return before === 0 ? RESOLUTION : `${RESOLUTION}:${before + 1}`;
}

/** A refund after a delivery: the house bears it. */
export function refunded(operation: Operation, callId: string, amount: string, now: Instant): LedgerEntry {
  const { currency } = operation.price?.source ?? { currency: '' };
  return entry(
    operation,
    refundMovement(operation, callId),
    now,
    transfer(ACCOUNTS.losses, ACCOUNTS.fiat, amount, currency),
  );
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

function negated(posting: Posting): Posting {
  return { ...posting, amount: decimal.subtract('0', posting.amount) };
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
