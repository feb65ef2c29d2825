import type { Instant, Mode, RefundOutcome } from '@gateramp/core/domain';
import type {
  AttemptRequest,
  NotSent,
  OperationOrder,
  ProviderAnswer,
  RefundingProvider,
  RefundLookup,
  RefundOrder,
  Resolution,
  StartOrder,
} from '@gateramp/core/ports';
import { alarmedExchange } from './alarmed-exchange.js';
import { answerOf } from './answer.js';
import { cancelOperation } from './cancel.js';
import { capabilitiesOf, type MarketNames } from './capabilities.js';
import {
  confirmAction,
  drive,
  LEASE_MS,
  loaded,
  loadOperation,
  workOn,
  type Alarm,
  type Drive,
  type Loaded,
} from './drive.js';
import { firstState, isRefunding, operationKind, toDocument, type Operation } from './operation.js';
import { readLegCallback } from './callback.js';
import type { ExchangeLeg } from './ports/legs.js';
import type { LegsStore } from './ports/legs-store.js';
import type { Price } from './price.js';
import { checkQuote, LegUnavailable, loadQuote, priceRoute, quote, removeOldQuotes, termsOf } from './quotes.js';
import { lookupRefund, refundOperation, workOnRefund } from './refund.js';
import { findRoutes } from './route.js';
import { idleSteps, type Legs } from './progress.js';
import { findTransfers } from './transfers.js';

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
  /** Runs one round of the worker: makes the calls that are due in the mode at `now`. Returns the number of operations claimed. */
  work(mode: Mode, now: Instant): Promise<number>;
  /**
   * Runs a round every `intervalMs` until it is stopped, and looks at all prices every 30 s. `now` is the clock of the mode, so that the
   * worker follows a test clock.
   */
  startWorker(options: LegsWorkerOptions): { readonly stop: () => Promise<void> };
}

/** The clock, interval and error handler of the worker. */
export interface LegsWorkerOptions {
  readonly now: (mode: Mode) => Instant;
  /** 1,000 by default. */
  readonly intervalMs?: number;
  /** Called with the error of an operation, which is tried again, or of a whole round, such as an outage of the store. */
  readonly onError?: (error: unknown) => void;
}

const MODES: readonly Mode[] = ['test', 'live'];
const OPERATIONS_PER_ROUND = 32;
/** The interval between two looks at all prices. */
const PRICE_CHECK_MS = 30_000;

/**
 * Combines separate legs into one provider. Every call of a leg is a durable step: the operation names the call in a commit before it is
 * made, and its result is committed, with the money it moved, before the next call. Several processes may work on the same store.
 */
export function legs(given: LegsOptions): LegsProvider {
  const { name = 'legs', modes, store, names, alarm = () => {} } = given;
  const options = { ...given, exchange: alarmedExchange(given.exchange, alarm) };
  const context: Drive = { legs: options, store, alarm };

  async function answer({ operation, dueAt }: Loaded, { now }: OperationOrder): Promise<ProviderAnswer> {
    return answerOf(operation, dueAt, now);
  }

  return {
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
    findTransfers: (txHash) => findTransfers(store, txHash),
    parseCallback: (callback) => readLegCallback(context, callback),

    work: (mode, now) => workRound(context, mode, now, () => {}),
    startWorker: (worker) => startWorker(context, worker),
  };
}

async function load(store: LegsStore, { mode, operationId }: OperationOrder): Promise<Loaded> {
  const found = await loadOperation(store, mode, operationId);
  if (found === null) throw new Error('The operation was never started.');
  return found;
}

/** The terms that the attempt would start with, or why it would be refused. */
async function resolve({ chain, ...market }: LegsOptions, request: AttemptRequest): Promise<Resolution> {
  const routes = findRoutes({ ...market, chain }, request);
  if ('code' in routes) return { kind: 'refused', ...routes };
  const [route] = routes;
  if (route === undefined) throw new Error('A request has neither a route nor a refusal.');
  const { walletAddress, refundAddress } = request;
  const problems = [
    route.target === null || walletAddress === null ? null : chain.addressProblem(route.target.network, walletAddress),
    route.source === null || refundAddress === null ? null : chain.addressProblem(route.source.network, refundAddress),
  ];
  const problem = problems.find((one) => one !== null);
  if (problem !== undefined && problem !== null)
    return { kind: 'refused', code: 'wallet_address_invalid', message: problem };
  await priceRoute({ ...market, chain }, route, request);
  return { kind: 'resolved', terms: termsOf(route) };
}

/** The quoted price, or else the current one. No operation starts without a price. */
async function priceOfOrder(options: LegsOptions, store: LegsStore, order: StartOrder): Promise<Price | NotSent> {
  try {
    const quoted = await loadQuote(store, order.rails?.providerQuoteId ?? order.intent.quoteId ?? '');
    return quoted?.price ?? (await priceOfNow(options, order));
  } catch (error) {
    if (error instanceof LegUnavailable) return { kind: 'not_sent', retryable: true, reason: error.message };
    throw error;
  }
}

async function priceOfNow(options: LegsOptions, { intent, now }: StartOrder): Promise<Price> {
  const routes = findRoutes(options, intent);
  const route = 'code' in routes ? undefined : routes[0];
  if (route === undefined) throw new Error('The attempt has no route any more.');
  const { price } = await priceRoute(options, route, { amount: intent.amount, now });
  if (price === 'fees_exceed_amount') throw new Error('The amount is smaller than its fees.');
  return price;
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
    createdAt: now,
    updatedAt: now,
  };
}

async function workRound(context: Drive, mode: Mode, now: Instant, onError: (error: unknown) => void): Promise<number> {
  const { store } = context;
  await removeOldQuotes(store, now);
  const claim = { kind: operationKind(mode), now, leaseMs: LEASE_MS, limit: OPERATIONS_PER_ROUND };
  const claimed = await store.claimDue(claim);
  // After an error the operation is due again after its backoff or lease, and does not hold up the others.
  const results = await Promise.allSettled(
    claimed.map(async (document) => {
      const at = loaded(document);
      await (isRefunding(at.operation) ? workOnRefund(context, at, now) : workOn(context, at, now));
    }),
  );
  for (const result of results) if (result.status === 'rejected') onError(result.reason);
  return claimed.length;
}

/** Looks at every price, so that a lost one raises its alarm even if no quote is requested. */
async function checkPrices(exchange: ExchangeLeg): Promise<void> {
  await Promise.all(exchange.pairs.map((pair) => exchange.unavailable(pair)));
}

function startWorker(context: Drive, { now, intervalMs = 1_000, onError = () => {} }: LegsWorkerOptions) {
  let isStopped = false;
  let wake = () => {};
  let checked = Promise.resolve();
  const roundsPerCheck = Math.ceil(PRICE_CHECK_MS / intervalMs);
  const run = async () => {
    for (let round = 0; !isStopped; round += 1) {
      // Not awaited, so that a slow source of prices holds up no operation.
      if (round % roundsPerCheck === 0) checked = checked.then(() => checkPrices(context.legs.exchange)).catch(onError);
      for (const mode of MODES) await workRound(context, mode, now(mode), onError).catch(onError);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, intervalMs);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  };
  const running = run();
  return {
    stop: async () => {
      isStopped = true;
      wake();
      await running;
      await checked;
    },
  };
}
