import {
  decimal,
  FAILURE_CODES,
  type Failure,
  type FailureCode,
  type Instant,
  type NextAction,
  type Stage,
} from '@gateramp/core/domain';
import type { PaymentDetails, PayoutDetails } from '@gateramp/core/ports';
import { captured, converted, deposited, depositKey, moneyOut, paidBack, returned, unconverted } from './ledger.js';
import {
  afterStep,
  calling,
  callIdOf,
  isPast,
  type Delivery,
  type DepositReturn,
  type ForwardStep,
  type Operation,
  type State,
  type Step,
  type UndoStep,
} from './operation.js';
import type { LedgerEntry } from './ports/legs-store.js';
import type {
  AuthorizeResult,
  Deposit,
  FiatAmount,
  IdentityLeg,
  IdentityResult,
  LegCall,
  LegFailure,
  LegPending,
  ScreeningLeg,
  SendResult,
  TokenAmount,
} from './ports/legs.js';
import type { Price } from './price.js';
import type { MarketLegs } from './route.js';

/** Every leg of a provider. */
export interface Legs extends MarketLegs {
  readonly screening: ScreeningLeg | null;
  readonly identity: IdentityLeg | null;
}

/** What passes through the request that starts an operation, and is stored nowhere. */
export interface Details {
  readonly paymentDetails: PaymentDetails | null;
  readonly payoutDetails: PayoutDetails | null;
}

/** What one call led to: the next state, the money it moved, and when to look again (null: at once, or never when it waits or ended). */
export interface Progress {
  readonly operation: Operation;
  readonly entries: readonly LedgerEntry[];
  readonly waitMs: number | null;
}

/** How long a buyer has for a deposit. */
export const DEPOSIT_WITHIN_MS = 30 * 60_000;
/** When to look again at what comes from outside: a deposit, a transfer, a buyer at their bank's page. */
const LOOK_SOON: LegPending = { kind: 'pending', checkAfterMs: 5_000 };

/** Makes the call that is due. It throws when the result is unknown; the same call is then made again. */
export async function makeCall(
  legs: Legs,
  operation: Operation,
  details: Details | null,
  now: Instant,
): Promise<Progress> {
  const { state, price } = operation;
  if (state.kind !== 'calling') throw new Error('An operation that waits or has ended has no call to make.');
  if (price === null) return end({ operation, now });
  const call: LegCall = { callId: callIdOf(operation, state.step), mode: operation.mode, now };
  const given: CallContext = { legs, operation, price, call, details, now };
  return CALLS[state.step](given);
}

interface CallContext {
  readonly legs: Legs;
  readonly operation: Operation;
  readonly price: Price;
  readonly call: LegCall;
  readonly details: Details | null;
  readonly now: Instant;
}

const CALLS: Readonly<Record<Step, (context: CallContext) => Promise<Progress>>> = {
  // A wallet that is blocked outright costs the buyer no authorization. One that takes longer is waited for at `clear`.
  screen: async (context) => {
    const result = await screenWallet(context, 'before_payment', context.call);
    return result.kind === 'blocked' ? undo(context, BLOCKED) : next(context, 'screen');
  },

  register_payee: async (context) => {
    const { legs, price, call, details } = context;
    // The account is gone with the request that gave it: nobody can be paid, and nothing has been asked of the buyer.
    const account = details?.payoutDetails ?? null;
    if (account === null) return undo(context, interrupted('payout'));
    const result = await legs.fiat.registerPayee({ ...call, currency: price.destination.currency, account });
    return result.kind === 'failed'
      ? undo(context, asFailure(result.failure, 'payout'))
      : next(context, 'register_payee');
  },

  authorize: async (context) => {
    const { legs, operation, price, call, details } = context;
    const { amount, currency } = price.source;
    const { method, operationId: reference } = operation;
    const result =
      details === null
        ? await legs.fiat.lookupAuthorization(call)
        : await legs.fiat.authorize({
            ...call,
            amount,
            currency,
            method,
            reference,
            paymentDetails: details.paymentDetails,
          });
    return result === null ? undo(context, interrupted('payment')) : authorized(context, result);
  },

  identify: async (context) => {
    const { legs, operation, price, call } = context;
    if (legs.identity === null || operation.isVerified) return next(context, 'identify');
    const { amount, currency } = operation.flow === 'off_ramp' ? price.destination : price.source;
    const { countryCode } = operation;
    return identified(context, await legs.identity.check({ ...call, amount, currency, countryCode }));
  },

  clear: async (context) => {
    const { operation, call } = context;
    const screening = { ...call, callId: callIdOf(operation, 'screen') };
    return screened(context, 'clear', await screenWallet(context, 'before_payment', screening));
  },

  capture: async (context) => {
    const { legs, operation, price, call, now } = context;
    const result = await legs.fiat.capture({ ...call, authorizationId: callIdOf(operation, 'authorize') });
    if (result.kind === 'pending') return wait(context, result);
    if (result.kind === 'failed') return undo(context, asFailure(result.failure, 'payment'));
    return next(context, 'capture', [captured(operation, price, now)]);
  },

  deposit: depositProgress,

  convert: async (context) => {
    const { legs, operation, price, call, now } = context;
    const result = await legs.exchange.execute({
      ...call,
      give: amountOf(price.source, price.sourceSubtotal),
      take: amountOf(price.destination),
    });
    if (result.kind === 'pending') return wait(context, result);
    if (result.kind === 'failed') return undo(context, settlementError('conversion'));
    return next(context, 'convert', [converted(operation, price, now)]);
  },

  rescreen: async (context) => screened(context, 'rescreen', await screenWallet(context, 'before_send', context.call)),

  send: async (context) => {
    const { legs, operation, price, call } = context;
    const { amount, currency: asset } = price.destination;
    const network = price.destination.network ?? '';
    const to = operation.walletAddress ?? '';
    return sent(context, await legs.chain.send({ ...call, amount, asset, network, to }));
  },

  pay_out: async (context) => {
    const { legs, operation, price, call, now } = context;
    const { amount, currency } = price.destination;
    const payeeId = callIdOf(operation, 'register_payee');
    const result = await legs.fiat.payOut({ ...call, amount, currency, payeeId });
    if (result.kind === 'pending') return wait(context, result);
    if (result.kind === 'failed') return undo(context, asFailure(result.failure, 'payout'));
    return next(context, 'pay_out', [moneyOut(operation, price, now)]);
  },

  surplus: async (context) => {
    const progress = await returnNext(context);
    return progress ?? next(context, 'surplus');
  },

  void: async (context) => {
    const { legs, operation, price, call, now } = context;
    const result = await legs.fiat.void({ ...call, authorizationId: callIdOf(operation, 'authorize') });
    if (result.kind === 'pending') return wait(context, result);
    if (result.kind === 'voided') return end(context);
    // A bank transfer that arrived after all: it goes back.
    return {
      operation: at(operation, calling('refund'), now),
      entries: [captured(operation, price, now)],
      waitMs: null,
    };
  },

  refund: async (context) => {
    const { legs, operation, price, call, now } = context;
    const { amount, currency } = price.source;
    const authorizationId = callIdOf(operation, 'authorize');
    const result = await legs.fiat.refund({ ...call, authorizationId, amount, currency });
    if (result.kind === 'pending') return wait(context, result);
    if (result.kind === 'failed') return stuck(context, result.failure.code);
    return { ...end(context), entries: [paidBack(operation, price, now)] };
  },

  return: async (context) => (await returnNext(context)) ?? end(context),
};

/** The buyer's answer has been given to the leg that asked. */
export async function answerAction(
  legs: Legs,
  operation: Operation,
  confirmation: Parameters<IdentityLeg['confirm']>[0]['confirmation'],
  now: Instant,
): Promise<Progress> {
  const { state, price } = operation;
  if (state.kind !== 'awaiting' || price === null) throw new Error('Nothing is asked of the buyer.');
  const call: LegCall = { callId: callIdOf(operation, state.step), mode: operation.mode, now };
  const context: CallContext = { legs, operation, price, call, details: null, now };
  if (state.step === 'authorize') {
    const order = { ...call, authorizationId: callIdOf(operation, 'authorize'), confirmation };
    return authorized(context, await legs.fiat.confirm(order));
  }
  if (state.step === 'identify' && legs.identity !== null)
    return identified(context, await legs.identity.confirm({ ...call, confirmation }));
  // "I have sent it" is only a reason to look: the chain says whether it is true.
  return depositProgress(context);
}

/** Looks again at what the buyer is asked for, without an answer: a redirect that came back, a transfer that arrived, a deposit. */
export async function lookAgain(legs: Legs, operation: Operation, now: Instant): Promise<Progress> {
  const { state } = operation;
  if (state.kind !== 'awaiting') throw new Error('Nothing is asked of the buyer.');
  return makeCall(legs, { ...operation, state: calling(state.step) }, null, now);
}

/** Tokens that came to the address of an operation that is over go back. Null while there are none. */
export async function returnLateDeposits(legs: Legs, operation: Operation, now: Instant): Promise<Progress | null> {
  const { price } = operation;
  if (price === null || price.source.network === null || operation.state.kind !== 'ended') return null;
  const call: LegCall = { callId: callIdOf(operation, 'return'), mode: operation.mode, now };
  const context: CallContext = { legs, operation, price, call, details: null, now };
  const late = confirmedOf(await legs.chain.deposits(onNetwork(context))).filter((deposit) =>
    isNew(operation, deposit),
  );
  if (late.length === 0) return null;
  const returns = [...operation.returns, ...late.map((deposit) => returnOf(price, deposit, deposit.amount))];
  return {
    operation: { ...credit(at(operation, calling('return'), now), late), returns },
    entries: late.map((deposit) => deposited(operation, deposit, now)),
    waitMs: null,
  };
}

function authorized(context: CallContext, result: AuthorizeResult): Progress {
  switch (result.kind) {
    case 'authorized':
      return next(context, 'authorize');
    case 'requires_action':
      return ask(context, 'authorize', result.nextAction);
    case 'pending':
      return wait(context, result);
    case 'voided':
      return undo(context, interrupted('payment'));
    case 'failed':
      return undo(context, asFailure(result.failure, 'payment'));
  }
}

function identified(context: CallContext, result: IdentityResult): Progress {
  switch (result.kind) {
    case 'verified':
      return next(context, 'identify');
    case 'requires_action':
      return ask(context, 'identify', result.nextAction);
    case 'pending':
      return wait(context, result);
    case 'failed':
      return undo(context, { ...asFailure(result.failure, 'kyc'), code: 'kyc_rejected' });
  }
}

type Screened = Awaited<ReturnType<ScreeningLeg['screen']>>;

async function screenWallet(
  { legs, operation, price }: CallContext,
  moment: 'before_payment' | 'before_send',
  call: LegCall,
): Promise<Screened> {
  const { walletAddress: address } = operation;
  const { amount, currency: asset, network } = price.destination;
  if (legs.screening === null || address === null || network === null) return { kind: 'clear' };
  return legs.screening.screen({ ...call, address, amount, asset, network, moment });
}

function screened(context: CallContext, step: ForwardStep, result: Screened): Progress {
  if (result.kind === 'pending') return wait(context, result);
  return result.kind === 'blocked' ? undo(context, BLOCKED) : next(context, step);
}

function sent(context: CallContext, result: SendResult): Progress {
  const { operation, price, now } = context;
  if (result.kind === 'refused') return undo(context, settlementError('delivery'));
  const { hash, seen, required } = result;
  const delivery: Delivery = { hash, seen, required };
  const following = { ...context, operation: { ...operation, delivery } };
  if (result.kind === 'confirmed') return next(following, 'send', [moneyOut(operation, price, now)]);
  return wait(following, { kind: 'pending', checkAfterMs: result.checkAfterMs });
}

/** What the deposits so far mean: enough, not enough for good, on their way, or none yet. */
async function depositProgress(context: CallContext): Promise<Progress> {
  const { legs, operation, price, now } = context;
  const deposits = await legs.chain.deposits(onNetwork(context));
  const news = confirmedOf(deposits).filter((deposit) => isNew(operation, deposit));
  const inTime = news.filter((deposit) => isAsked(price, deposit) && deposit.at <= depositDeadline(operation));
  const total = inTime.reduce((sum, { amount }) => decimal.add(sum, amount), '0');
  const isEnough = decimal.compare(total, price.source.amount) >= 0;
  if (isEnough) return depositAccepted(context, news, inTime, decimal.subtract(total, price.source.amount));
  if (deposits.some(({ seen, required }) => seen < required)) return wait(context, LOOK_SOON);
  if (now <= depositDeadline(operation)) return askForDeposit(context);
  if (news.length === 0) return undo(context, NOT_RECEIVED);
  const returns = news.map((deposit) => returnOf(price, deposit, deposit.amount));
  const undone = undo({ ...context, operation: { ...credit(operation, news), returns } }, NOT_EXACT);
  return { ...undone, entries: news.map((deposit) => deposited(operation, deposit, now)) };
}

/** Enough came in time. What was too much, of another token or too late goes back at the end. */
function depositAccepted(
  context: CallContext,
  news: readonly Deposit[],
  inTime: readonly Deposit[],
  surplus: string,
): Progress {
  const { operation, price, now } = context;
  const last = inTime.at(-1);
  const returns = [
    ...(last !== undefined && decimal.isPositive(surplus) ? [returnOf(price, last, surplus)] : []),
    ...news.filter((deposit) => !inTime.includes(deposit)).map((deposit) => returnOf(price, deposit, deposit.amount)),
  ];
  const accepted = { ...context, operation: { ...credit(operation, news), returns } };
  return next(
    accepted,
    'deposit',
    news.map((deposit) => deposited(operation, deposit, now)),
  );
}

async function askForDeposit(context: CallContext): Promise<Progress> {
  const { legs, operation, price } = context;
  const order = onNetwork(context);
  const { address, memo } = await legs.chain.depositAddress(order);
  const { amount, currency: asset } = price.source;
  const expiresAt = depositDeadline(operation);
  const action = { type: 'crypto_deposit', address, memo, network: order.network, asset, amount, expiresAt } as const;
  return ask(context, 'deposit', action);
}

/** The deposit calls of an operation share one id, whichever step makes them. */
function onNetwork({ operation, price, call }: CallContext): LegCall & { readonly network: string } {
  return { ...call, callId: callIdOf(operation, 'deposit'), network: price.source.network ?? '' };
}

function depositDeadline({ createdAt }: Operation): Instant {
  return createdAt + DEPOSIT_WITHIN_MS;
}

function confirmedOf(deposits: readonly Deposit[]): readonly Deposit[] {
  return deposits.filter(({ seen, required }) => seen >= required);
}

function isNew(operation: Operation, deposit: Deposit): boolean {
  return !operation.credited.includes(depositKey(deposit));
}

function isAsked({ source }: Price, { asset, network }: Pick<Deposit, 'asset' | 'network'>): boolean {
  return asset === source.currency && network === source.network;
}

/** Less the network fee of the price, which is in the token that was asked for; the house bears it for other tokens. */
function returnOf(
  price: Price,
  deposit: Pick<Deposit, 'asset' | 'network' | 'hash' | 'index'>,
  amount: string,
): DepositReturn {
  const quoted = price.fees.find(({ type }) => type === 'network')?.amount ?? '0';
  const fee = isAsked(price, deposit) ? quoted : '0';
  const base = { deposit: depositKey(deposit), asset: deposit.asset, network: deposit.network, isBooked: false };
  if (decimal.compare(amount, fee) <= 0) return { ...base, amount: '0', fee: amount, status: 'kept' };
  return { ...base, amount: decimal.subtract(amount, fee), fee, status: 'due' };
}

/** Sends the next deposit back that is due. Null when none is left. */
async function returnNext(context: CallContext): Promise<Progress | null> {
  const { legs, operation, call } = context;
  const index = operation.returns.findIndex(({ status, isBooked }) => status === 'due' || !isBooked);
  const due = operation.returns[index];
  if (due === undefined) return null;
  if (due.status === 'kept') return returnBooked(context, index, due);
  const { asset, network, amount } = due;
  const to = operation.refundAddress ?? '';
  const callId = `${operation.operationId}-return_${index}`;
  const result = await legs.chain.send({ ...call, callId, asset, network, amount, to });
  if (result.kind === 'refused') return stuck(context, result.failure.code);
  if (result.kind === 'sending') return wait(context, { kind: 'pending', checkAfterMs: result.checkAfterMs });
  return returnBooked(context, index, { ...due, status: 'returned' });
}

function returnBooked({ operation, now }: CallContext, index: number, done: DepositReturn): Progress {
  const returns = operation.returns.with(index, { ...done, isBooked: true });
  return { operation: { ...operation, returns }, entries: [returned(operation, done, now)], waitMs: null };
}

/** The step is done: the next one begins in the commit that records it. */
function next({ operation, now }: CallContext, step: ForwardStep, entries: readonly LedgerEntry[] = []): Progress {
  return { operation: at(operation, afterStep(operation, step), now), entries, waitMs: null };
}

/** Begins to undo what was done, which ends as `failed` with that failure. */
function undo({ operation, price, now }: CallContext, failure: Failure): Progress {
  return undoing({ ...operation, failure }, price, now);
}

/** Undoes an operation from wherever it is: nothing, an authorization, a payment, or deposits. */
export function undoing(operation: Operation, price: Price, now: Instant): Progress {
  const isConverted = isPast(operation, 'convert');
  const entries = isConverted ? [unconverted(operation, price, now)] : [];
  const step = undoStep(operation);
  const state: State = step === null ? { kind: 'ended', as: operation.endsAs } : calling(step);
  const returns = isPast(operation, 'deposit') ? [...operation.returns, acceptedReturn(price)] : operation.returns;
  return { operation: { ...at(operation, state, now), returns }, entries, waitMs: null };
}

/** Everything that was accepted for the exchange, less the network fee. */
function acceptedReturn(price: Price): DepositReturn {
  const { amount, currency: asset, network } = price.source;
  const sent = returnOf(price, { asset, network: network ?? '', hash: '', index: 0 }, amount);
  return { ...sent, deposit: 'accepted' };
}

function undoStep(operation: Operation): UndoStep | null {
  if (operation.flow !== 'on_ramp')
    return isPast(operation, 'deposit') || operation.credited.length > 0 ? 'return' : null;
  if (isPast(operation, 'capture')) return 'refund';
  const { state } = operation;
  const hasAuthorized = isPast(operation, 'screen') || (state.kind !== 'ended' && state.step === 'authorize');
  return hasAuthorized ? 'void' : null;
}

/** The buyer has to act. The leg is asked again meanwhile where that may change something. */
function ask({ operation, now }: CallContext, step: ForwardStep, action: NextAction): Progress {
  const waitMs = action.type === 'payment_authentication' || action.type === 'kyc' ? null : LOOK_SOON.checkAfterMs;
  return { operation: at(operation, { kind: 'awaiting', step, action }, now), entries: [], waitMs };
}

/** The same call again, after a while: its result is on the way. */
function wait({ operation, now }: CallContext, { checkAfterMs }: LegPending): Progress {
  const { state } = operation;
  const step = state.kind === 'ended' ? 'return' : state.step;
  return { operation: at(operation, calling(step), now), entries: [], waitMs: checkAfterMs };
}

function stuck({ operation, now }: CallContext, reason: string): Progress {
  const { state } = operation;
  const step = state.kind === 'ended' ? 'return' : state.step;
  return { operation: at(operation, { kind: 'stuck', step, reason }, now), entries: [], waitMs: null };
}

function end({ operation, now }: Pick<CallContext, 'operation' | 'now'>): Progress {
  return { operation: at(operation, { kind: 'ended', as: operation.endsAs }, now), entries: [], waitMs: null };
}

function at(operation: Operation, state: State, now: Instant): Operation {
  return { ...operation, state, updatedAt: now };
}

function credit(operation: Operation, deposits: readonly Deposit[]): Operation {
  return { ...operation, credited: [...operation.credited, ...deposits.map(depositKey)] };
}

function amountOf({ currency, network, amount }: Price['source'], exact = amount): FiatAmount | TokenAmount {
  return network === null ? { amount: exact, currency } : { amount: exact, asset: currency, network };
}

const FAILURE_CODES_OF_LEGS: ReadonlySet<string> = new Set(FAILURE_CODES);

/** A code of a leg that the wire does not know is reported as `error`. */
function asFailure({ code, message, retryable }: LegFailure, stage: Stage): Failure {
  return { code: isFailureCode(code) ? code : 'error', stage, message, retryable };
}

function isFailureCode(code: string): code is FailureCode {
  return FAILURE_CODES_OF_LEGS.has(code);
}

const BLOCKED: Failure = {
  code: 'sanctions_blocked',
  stage: 'screening',
  message: 'This wallet cannot be served.',
  retryable: false,
};

const NOT_RECEIVED: Failure = {
  code: 'deposit_not_received',
  stage: 'deposit',
  message: 'The deposit did not arrive in time.',
  retryable: true,
};

const NOT_EXACT: Failure = {
  code: 'deposit_not_received',
  stage: 'deposit',
  message:
    'The deposit was not the amount and token asked for, or came too late. It is returned to the refund address.',
  retryable: true,
};

/** The request that brought the details ended before the leg had them. */
function interrupted(stage: Stage): Failure {
  return { code: 'error', stage, message: 'The payment was interrupted. No money was taken.', retryable: true };
}

function settlementError(stage: Stage): Failure {
  return {
    code: 'settlement_error',
    stage,
    message: 'The payment could not be completed. What was paid is being returned.',
    retryable: true,
  };
}
