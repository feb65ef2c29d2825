import { decimal, type Instant, type Side } from '@gateramp/core/domain';
import { callIdOf, type DepositReturn, type Operation, type Resolution, type Withdrawal } from './operation.js';
import type { Deposit } from './ports/legs.js';
import type { Balance, LedgerEntry, Posting } from './ports/legs-store.js';
import type { Price } from './price.js';

/**
 * The account of the debt to the buyer, as a negative balance. It is zero once an operation has ended: everything that was taken has
 * been delivered or returned.
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
  /** The existing entries of the operation. */
  readonly entries: readonly LedgerEntry[];
  readonly now: Instant;
}

/** Whether the entry records the delivery, by the legs or by hand. */
export function isDelivery({ id }: LedgerEntry, operation: Operation): boolean {
  return id === entryId(operation, OUT) || id === entryId(operation, OUT_BY_HAND);
}

/** Whether the entry records the buyer's payment. */
export function isCapture({ id }: LedgerEntry, operation: Operation): boolean {
  return id === entryId(operation, CAPTURE);
}

/** The accounts of the house: holdings at the legs, earnings, and losses. */
export const ACCOUNTS = {
  fiat: 'fiat',
  chain: 'chain',
  exchange: 'exchange',
  fees: 'fees',
  /** Positions that remain with the house after a converted purchase was undone. */
  house: 'house',
  /** The cost of refunds and chargebacks of delivered purchases. */
  losses: 'losses',
  /** Gas, and the fees of the processor. */
  costs: 'costs',
  /** The house's own money: top-ups and withdrawals of the wallet, payouts of the processor to the house's bank. */
  funding: 'funding',
  /** Movements at the processor that belong to no payment of the legs, such as those of other systems. */
  outside: 'outside',
} as const;

/** The entry for a payment from the buyer's card or bank. */
export function captured(operation: Operation, { source }: Price, now: Instant): LedgerEntry {
  return entry(operation, CAPTURE, now, transfer(ACCOUNTS.fiat, CUSTOMER, source.amount, source.currency));
}

/** The entry for a confirmed deposit. */
export function deposited(operation: Operation, deposit: Deposit, now: Instant): LedgerEntry {
  const side = { currency: deposit.asset, network: deposit.network };
  return entry(
    operation,
    `deposit:${depositKey(deposit)}`,
    now,
    transfer(holding(side), CUSTOMER, deposit.amount, symbol(side)),
  );
}

/** Identifies one deposit of an operation. */
export function depositKey({ hash, index }: Pick<Deposit, 'hash' | 'index'>): string {
  return `${hash}:${index}`;
}

/** The entry for the return of a deposit or its surplus, less the network fee. An amount not worth returning is booked as a fee in full. */
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

/** The entry for the exchange of the buyer's money, with the earned fees. */
export function converted(operation: Operation, price: Price, now: Instant): LedgerEntry {
  return entry(operation, 'convert', now, conversionPostings(price, ACCOUNTS.exchange));
}

/** Reverses a conversion: the buyer is owed the original money again, and the house takes both sides of the position. */
export function unconverted(operation: Operation, price: Price, now: Instant): LedgerEntry {
  return entry(operation, 'unconvert', now, conversionPostings(price, ACCOUNTS.house).map(negated));
}

/** The entry for the delivery: tokens to a wallet, or money to an account. */
export function moneyOut(operation: Operation, price: Price, now: Instant): LedgerEntry {
  const { destination } = price;
  return entry(operation, OUT, now, transfer(CUSTOMER, holding(destination), destination.amount, symbol(destination)));
}

/** The entry for a refund of the full payment of a purchase that was not delivered. */
export function paidBack(operation: Operation, { source }: Price, now: Instant): LedgerEntry {
  return entry(operation, REFUND, now, transfer(CUSTOMER, ACCOUNTS.fiat, source.amount, source.currency));
}

/** The entry for a chargeback or a refund made outside. It first settles the debt to the buyer; the rest is a loss. */
export function withdrawn(operation: Operation, taken: BookedWithdrawal, now: Instant): LedgerEntry {
  const movement = taken.kind === 'refund' ? 'outside_refund' : 'chargeback';
  return entry(operation, `${movement}:${taken.id}`, now, withdrawalPostings(operation, taken));
}

/** Reverses the entry of a chargeback whose dispute was won, or of an outside refund that failed. */
export function gaveBack(operation: Operation, taken: BookedWithdrawal, now: Instant): LedgerEntry {
  const movement = taken.kind === 'refund' ? 'outside_refund_failed' : 'dispute_won';
  return entry(operation, `${movement}:${taken.id}`, now, withdrawalPostings(operation, taken).map(negated));
}

/** The entry for a refund that the bank sent back: the buyer is owed it again. `refund` is the movement that it reverses. */
export function refundReturned(
  operation: Operation,
  refund: string,
  { amount, currency }: Pick<Balance, 'amount' | 'currency'>,
  now: Instant,
): LedgerEntry {
  return entry(operation, `${refund}:returned`, now, transfer(ACCOUNTS.fiat, CUSTOMER, amount, currency));
}

/** The movement of a refund, by its call id: the refund of a failed purchase, or one that the partner requested. */
export function refundMovement(operation: Operation, callId: string): string {
  return callId === callIdOf(operation, 'refund') ? REFUND : `${REFUND}:${callId}`;
}

/** Whether the entries include the movement. */
export function isBooked(entries: readonly LedgerEntry[], operation: Operation, movement: string): boolean {
  return entries.some(({ id }) => id === entryId(operation, movement));
}

/** The debt to the buyer in a currency, according to the entries of an operation. */
export function owedBy(entries: readonly LedgerEntry[], currency: string): string {
  return entries
    .flatMap(({ postings }) => postings)
    .filter((posting) => posting.account === CUSTOMER && posting.currency === currency)
    .reduce((owed, { amount }) => decimal.subtract(owed, amount), '0');
}

interface BookedWithdrawal extends Pick<Withdrawal, 'id' | 'kind' | 'amount'> {
  readonly settled: string;
}

function withdrawalPostings({ price }: Operation, { amount, settled }: BookedWithdrawal): readonly Posting[] {
  const currency = price?.source.currency ?? '';
  const lost = decimal.subtract(amount, settled);
  return [
    ...(decimal.isPositive(settled) ? transfer(CUSTOMER, ACCOUNTS.fiat, settled, currency) : []),
    ...(decimal.isPositive(lost) ? transfer(ACCOUNTS.losses, ACCOUNTS.fiat, lost, currency) : []),
  ];
}

/**
 * The entry for an operator's decision. Money that was returned to the buyer leaves the account that held it. Otherwise the house keeps
 * the debt, and a delivery by hand leaves the chain or the bank. An existing delivery (only the surplus was stuck) is not booked again.
 * Null when there is nothing to book.
 */
export function resolved(operation: Operation, { as, owed, entries, now }: Resolved): LedgerEntry | null {
  const { price } = operation;
  const isDelivered = entries.some((one) => isDelivery(one, operation));
  const left = leftInPart(operation);
  const settled = owed.flatMap(({ currency, amount }) => {
    if (as !== 'refunded') return transfer(CUSTOMER, ACCOUNTS.house, amount, currency);
    const fee = left?.currency === currency ? left.fee : '0';
    return [
      ...transfer(CUSTOMER, accountOf(currency), decimal.subtract(amount, fee), currency),
      ...(decimal.isPositive(fee) ? transfer(CUSTOMER, ACCOUNTS.fees, fee, currency) : []),
    ];
  });
  const delivered =
    as !== 'delivered' || isDelivered || price === null
      ? []
      : transfer(ACCOUNTS.house, holding(price.destination), price.destination.amount, symbol(price.destination));
  // These tokens have left the wallet, whatever the operator decides.
  const lost =
    left === null || left.settledAs.includes(as)
      ? []
      : transfer(ACCOUNTS.losses, accountOf(left.currency), left.amount, left.currency);
  const postings = [...settled, ...delivered, ...lost];
  return postings.length === 0
    ? null
    : entry(operation, resolutionMovement(operation, delivered, entries), now, postings);
}

interface LeftInPart {
  readonly currency: string;
  /** What has left the wallet. */
  readonly amount: string;
  /** The part of the debt that stays with the house. */
  readonly fee: string;
  /** The decisions whose postings include the amount. */
  readonly settledAs: readonly Resolution['as'][];
}

/** The transfer of which only a part arrived, for which the operation is stuck; null for any other reason. */
function leftInPart({ state, price, returns }: Operation): LeftInPart | null {
  if (state.kind !== 'stuck') return null;
  if (state.reason === DELIVERED_IN_PART && price !== null) {
    const { amount } = price.destination;
    return { currency: symbol(price.destination), amount, fee: '0', settledAs: ['delivered', 'refunded'] };
  }
  const open = returns.find(({ isBooked }) => !isBooked);
  if (state.reason !== RETURNED_IN_PART || open === undefined) return null;
  const { asset, network, amount, fee } = open;
  return { currency: tokenCurrency({ asset, network }), amount, fee, settledAs: ['refunded'] };
}

/** Why an operation is stuck whose transfer lost a part on its way. */
export const DELIVERED_IN_PART = 'delivered_in_part';
export const RETURNED_IN_PART = 'returned_in_part';

/** A unique movement name: an operation may need an operator more than once, such as for a late deposit or after a dispute. */
function resolutionMovement(
  operation: Operation,
  delivered: readonly Posting[],
  entries: readonly LedgerEntry[],
): string {
  if (delivered.length > 0) return OUT_BY_HAND;
  const before = entries.filter(({ id }) => id.startsWith(entryId(operation, RESOLUTION))).length;
  return before === 0 ? RESOLUTION : `${RESOLUTION}:${before + 1}`;
}

/** The entry for a refund after the delivery, which is a loss of the house. */
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

/** The postings of a transfer between two accounts. */
function transfer(to: string, from: string, amount: string, currency: string): readonly Posting[] {
  return [
    { account: to, currency, amount },
    { account: from, currency, amount: decimal.subtract('0', amount) },
  ];
}

/** The account that holds tokens on a network. */
export function tokenAccount(network: string): string {
  return `${ACCOUNTS.chain}:${network}`;
}

/** The ledger currency of a token on a network. */
export function tokenCurrency({ asset, network }: { readonly asset: string; readonly network: string }): string {
  return `${asset}@${network}`;
}

/** The account that holds one side of a price: fiat money at the fiat leg, tokens on their network. */
function holding({ network }: Pick<Side, 'network'>): string {
  return network === null ? ACCOUNTS.fiat : tokenAccount(network);
}

/** The account that holds a ledger currency. */
function accountOf(currency: string): string {
  const at = currency.indexOf('@');
  return holding({ network: at < 0 ? null : currency.slice(at + 1) });
}

/** The ledger currency of a side: the same token on two networks is two currencies. */
export function symbol({ currency, network }: { readonly currency: string; readonly network: string | null }): string {
  return network === null ? currency : tokenCurrency({ asset: currency, network });
}

function entry(operation: Operation, movement: string, at: Instant, postings: readonly Posting[]): LedgerEntry {
  return { id: entryId(operation, movement), operationId: operation.operationId, at, postings };
}

const entryId = ({ operationId }: Operation, movement: string): string => `${operationId}:${movement}`;
