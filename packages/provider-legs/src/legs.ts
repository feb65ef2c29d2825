import type { Instant, Mode, RefundOutcome } from '@gateramp/core/domain';
import {
  type AttemptRequest,
  contractProblem,
  type NotSent,
  type OperationOrder,
  type ProviderAnswer,
  type ProviderTestWork,
  type RefundingProvider,
  type RefundLookup,
  type RefundOrder,
  type Resolution,
  type StartOrder,
} from '@gateramp/core/ports';
import { alarmedExchange } from './alarmed-exchange.js';
import { answerOf } from './answer.js';
import { cancelOperation } from './cancel.js';
import type { LedgerPosition } from './books.js';
import { capabilitiesOf, type MarketNames } from './capabilities.js';
import { confirmAction, drive, LEASE_MS, loaded, loadOperation, type Alarm, type Drive, type Loaded } from './drive.js';
import { firstState, toDocument, type Operation } from './operation.js';
import { readLegCallback, reviewPayment, type ReviewOptions } from './callback.js';
import { type MarketView, marketView } from './market-view.js';
import type { ChainLeg } from './ports/legs.js';
import type { LegsStore } from './ports/legs-store.js';
import type { Price } from './price.js';
import { checkQuote, loadQuote, quote, termsOf } from './quotes.js';
import { lookupRefund, refundOperation } from './refund.js';
import { findRoutes, type Route } from './route.js';
import { priceRoutes } from './route-prices.js';
import { idleSteps, type Legs } from './progress.js';
import { bookStatement, statementPositions } from './statement.js';
import { timed } from './time-limits.js';
import { findTransfers } from './transfers.js';
import { OperationWorker, type LegsWorkerOptions } from './worker.js';

/** The legs of the provider, their store, and the names that partners see. */
export interface LegsOptions extends Legs {
  /** Stored with every attempt, and part of the callback path. `legs` by default. */
  readonly name?: string;
  /** The modes in which it accepts new payments. Both by default. */
  readonly modes?: readonly Mode[];
  readonly store: LegsStore;
  readonly names: MarketNames;
  readonly alarm?: Alarm;
}

/** A provider that advances its operations with a worker of its own. */
export interface LegsProvider extends RefundingProvider {
  readonly testWork: ProviderTestWork;
  /**
   * Runs one round of the worker: makes the calls that are due in the mode at `now`, or by the time of a sandbox that has its own. Returns
   * the number of operations claimed. Rounds of live mode also delete old quotes.
   */
  work(mode: Mode, now: Instant, sandboxes?: ReadonlyMap<string, Instant>): Promise<number>;
  /**
   * Books new lines of the fiat leg's statement, such as fees, and reads payments that were refunded or disputed. The worker does it every
   * minute.
   */
  bookStatement(options?: ReviewOptions): Promise<void>;
  /** What the fiat leg says about the balances of the ledger. Makes no call. */
  positions(): Promise<readonly LedgerPosition[]>;
  /**
   * Runs a round every `intervalMs` until it is stopped, checks all prices every 30 s, and books the statement every minute. `now` is the
   * clock of the mode, and `sandboxes` the time of those that are ahead of it, so that the worker follows a test clock.
   */
  startWorker(options: LegsWorkerOptions): { readonly stop: () => Promise<void> };
}

/**
 * Combines separate legs into one provider. Every call of a leg is a durable step: the operation names the call in a commit before it is
 * made, and its result is committed, with the money it moved, before the next call. Several processes may work on the same store.
 */
export function legs(given: LegsOptions): LegsProvider {
  const { name = 'legs', modes, store, names, alarm = () => {} } = given;
  throwIfOutdated(given);
  const options: LegsOptions = {
    ...given,
    fiat: timed(given.fiat),
    chain: timed(given.chain),
    exchange: alarmedExchange(timed(given.exchange), alarm),
    screening: given.screening && timed(given.screening),
    identity: given.identity && timed(given.identity),
  };
  const context: Drive = { legs: options, store, alarm };
  const worker = new OperationWorker(context);

  async function answer({ operation, dueAt }: Loaded, { now }: OperationOrder): Promise<ProviderAnswer> {
    return answerOf(operation, dueAt, now);
  }

  return {
    contract: 2,
    name,
    ...(modes === undefined ? {} : { modes }),

    capabilities: () => capabilitiesOf(options, names, name),
    quote: (request) => quote(options, store, request),
    checkQuote: (id, request) => checkQuote(store, id, request),
    resolve: (request) => resolve(options, request),

    async start(order) {
      const known = await loadOperation(store, order.mode, order.operationId);
      if (known !== null) return answer(known, order);
      const price = await priceOfOrder(options, store, order);
      if ('kind' in price) return price;
      const operation = newOperation(order, price, options);
      const document = toDocument(operation, 1, order.now + LEASE_MS);
      if ((await store.commit({ documents: [document], entries: [] })) === 'stale')
        return answer(await load(store, order), order);
      const { paymentDetails, payoutDetails, returnUrl = null } = order;
      const details = { paymentDetails, payoutDetails, returnUrl };
      return answer(await drive(context, loaded(document), details, order.now), order);
    },

    async confirm(order) {
      const at = await load(store, order);
      const { state } = at.operation;
      if (state.kind !== 'awaiting' || state.action.type !== order.confirmation.action) return answer(at, order);
      return answer(await confirmAction(context, at, order.confirmation, order.now), order);
    },

    async cancel(order) {
      return answer(await cancelOperation(context, order), order);
    },

    async lookup(order) {
      const found = await loadOperation(store, order.mode, order.operationId);
      return found === null ? null : answer(found, order);
    },

    refund: (order: RefundOrder): Promise<RefundOutcome> => refundOperation(context, order),
    lookupRefund: (order: RefundLookup) => lookupRefund(store, order),
    findTransfers: (txHash, scopes) => findTransfers(store, txHash, scopes),
    parseCallback: (callback) => readLegCallback(context, callback),

    bookStatement: (given = {}) => bookStatement(store, options.fiat, (seen) => reviewPayment(context, seen, given)),
    positions: () => statementPositions(store, options.fiat),

    testWork: worker.testWork,
    work: (mode, now, sandboxes) => worker.round(mode, now, sandboxes),
    startWorker: (given) =>
      worker.start(given, (review) =>
        bookStatement(store, options.fiat, (seen) => reviewPayment(context, seen, review)),
      ),
  };
}

/** Checks the versions of the ports that the parts were written to. */
function throwIfOutdated({ fiat, exchange, chain, screening, identity, store }: LegsOptions): void {
  const problems = Object.entries({ fiat, exchange, chain, screening, identity, store }).flatMap(([name, part]) =>
    part ? (contractProblem(name, part, '@gateramp/provider-legs') ?? []) : [],
  );
  if (problems.length > 0) throw new TypeError(`legs received invalid arguments: ${problems.join(' ')}`);
}

async function load(store: LegsStore, { mode, operationId }: OperationOrder): Promise<Loaded> {
  const found = await loadOperation(store, mode, operationId);
  if (found === null) throw new Error('The operation was never started.');
  return found;
}

/** The terms that the attempt would start with, or why it would be refused. Tokens left open become the first available ones. */
async function resolve({ chain, ...market }: LegsOptions, request: AttemptRequest): Promise<Resolution> {
  const alternatives = findRoutes({ ...market, chain }, request);
  if ('code' in alternatives) return { kind: 'refused', ...alternatives };
  const problem = addressProblem(chain, alternatives[0]?.[0], request);
  if (problem !== null) return { kind: 'refused', code: 'wallet_address_invalid', message: problem };
  const priced = await priceRoutes(marketView({ ...market, chain }), alternatives, request);
  if ('code' in priced) return { kind: 'refused', ...priced };
  const [first] = priced;
  const chosen = addressProblem(chain, first?.route, request);
  if (chosen !== null) return { kind: 'refused', code: 'wallet_address_invalid', message: chosen };
  if (first === undefined) throw new Error('A request has neither a price nor a refusal.');
  return { kind: 'resolved', terms: termsOf(first.route) };
}

function addressProblem(
  chain: ChainLeg,
  route: Route | undefined,
  { walletAddress, refundAddress }: AttemptRequest,
): string | null {
  const { source = null, target = null } = route ?? {};
  const problems = [
    target === null || walletAddress === null ? null : chain.addressProblem(target.network, walletAddress),
    source === null || refundAddress === null ? null : chain.addressProblem(source.network, refundAddress),
  ];
  return problems.find((problem) => problem !== null) ?? null;
}

/** The quoted price, or else the current one. No operation starts without a price. */
async function priceOfOrder(options: LegsOptions, store: LegsStore, order: StartOrder): Promise<Price | NotSent> {
  const quoted = await loadQuote(store, order.rails?.providerQuoteId ?? order.intent.quoteId ?? '');
  if (quoted !== null) return quoted.price;
  const alternatives = findRoutes(options, order.intent);
  const { amount } = order.intent;
  // Whether the amount can be delivered is decided by the reservation, which comes before the payment.
  const view: MarketView = { ...marketView(options), deliverable: async () => null };
  const priced =
    'code' in alternatives ? alternatives : await priceRoutes(view, alternatives, { amount, now: order.now });
  // The attempt was resolved a moment ago, so what refuses it now is not the buyer's mistake.
  if ('code' in priced) return { kind: 'not_sent', retryable: true, reason: priced.message, isUnavailable: true };
  const [first] = priced;
  if (first === undefined) throw new Error('The attempt has neither a price nor a refusal.');
  return first.price;
}

function newOperation(
  { operationId, mode, intent, kycPreVerified, now }: StartOrder,
  price: Price,
  legs: Legs,
): Operation {
  const isVerified = kycPreVerified || legs.identity === null;
  return {
    operationId,
    mode,
    partnerId: intent.partnerId,
    flow: intent.flow,
    method: intent.paymentMethod ?? 'card',
    countryCode: intent.countryCode,
    walletAddress: intent.walletAddress,
    refundAddress: intent.refundAddress,
    price,
    isVerified,
    state: firstState(intent.flow, idleSteps(legs, { isVerified })),
    tries: 0,
    failure: null,
    endsAs: 'failed',
    disputes: [],
    resolution: null,
    onChain: null,
    credited: [],
    returns: [],
    refunds: [],
    // From the start, because a crash may hide the result of the first call.
    isReserved: intent.flow !== 'off_ramp',
    currency: intent.currency.toUpperCase(),
    createdAt: now,
    updatedAt: now,
  };
}
