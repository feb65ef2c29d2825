import type { Instant } from '@gateramp/core/domain';
import type { Confirmation } from '@gateramp/core/ports';
import { depositProgress, returnNext } from './deposits.js';
import { withWithdrawals } from './disputes.js';
import { asFailure, BLOCKED, interrupted, settlementError } from './failures.js';
import { captured, converted, DELIVERED_IN_PART, moneyOut, paidBack } from './ledger.js';
import { calling, callIdOf, isTakenBack, type ForwardStep, type Operation, type Step } from './operation.js';
import { onChainOf } from './on-chain.js';
import type {
  AuthorizeResult,
  FiatAmount,
  IdentityResult,
  LegCall,
  ScreeningLeg,
  ScreeningOrder,
  SendOrder,
  SendResult,
  TokenAmount,
} from './ports/legs.js';
import type { Price } from './price.js';
import {
  ask,
  at,
  end,
  next,
  stopTakenBack,
  stuck,
  undo,
  wait,
  type CallContext,
  type Details,
  type Legs,
  type Progress,
} from './progress.js';

/** Makes the call that is due. Throws when the result is unknown; the same call is then repeated. */
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

const CALLS: Readonly<Record<Step, (context: CallContext) => Promise<Progress>>> = {
  reserve: async (context) => {
    const result = await context.legs.chain.reserve(deliveryOf(context));
    if (result.kind === 'reserved') return next(context, 'reserve');
    const { operation } = context;
    return undo({ ...context, operation: { ...operation, isReserved: false } }, asFailure(result.failure, 'payment'));
  },

  // A blocked address ends the operation before an authorization. A check that takes longer is awaited at `clear`.
  screen: async (context) => {
    const result = await screenBeforePayment(context);
    return result.kind === 'blocked' ? undo(context, BLOCKED) : next(context, 'screen');
  },

  register_payee: async (context) => {
    const { legs, price, call, details } = context;
    // The account was lost with the request that brought it: the buyer cannot be paid, and has not paid anything yet.
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
            returnUrl: details.returnUrl,
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

  clear: async (context) => screened(context, 'clear', await screenBeforePayment(context)),

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

  rescreen: async (context) => {
    const { operation, price, call } = context;
    const order = {
      ...call,
      moment: 'before_send',
      address: operation.walletAddress,
      side: price.destination,
    } as const;
    return screened(context, 'rescreen', await screenAddress(context, order));
  },

  send: async (given) => {
    const context = await withMovements(given);
    const { legs, operation } = context;
    const order = deliveryOf(context);
    return sent(context, await (isTakenBack(operation) ? legs.chain.cancelSend(order) : legs.chain.send(order)));
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
    if (isTakenBack(operation))
      return { ...stopTakenBack(operation, price, now), entries: [captured(operation, price, now)] };
    // A bank transfer that arrived after all is refunded.
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
    // Called for a charged-back payment too: the leg then makes no new refund, and only the leg knows whether it had made this one.
    const result = await legs.fiat.refund({ ...call, authorizationId, amount, currency });
    if (result.kind === 'pending') return wait(context, result);
    if (result.kind === 'failed') return stuck(context, result.failure.code);
    return { ...end(context), entries: [paidBack(operation, price, now)] };
  },

  return: async (context) => (await returnNext(context)) ?? end(context),
};

/** Reads the payment once more before the transfer is signed: the callback of a refund by hand or of a dispute may have been lost. */
async function withMovements(context: CallContext): Promise<CallContext> {
  const { legs, operation, now } = context;
  if (operation.flow !== 'on_ramp' || operation.onChain !== null || isTakenBack(operation)) return context;
  const { mode } = operation;
  const order = { callId: callIdOf(operation, 'send'), authorizationId: callIdOf(operation, 'authorize'), mode, now };
  return { ...context, operation: withWithdrawals(operation, await legs.fiat.movements(order)) ?? operation };
}

/** The transfer that delivers the tokens. Its call id is also that of its reservation. */
function deliveryOf({ operation, price, call }: CallContext): SendOrder {
  const { amount, currency: asset, network } = price.destination;
  const to = operation.walletAddress ?? '';
  const since = operation.createdAt;
  return { ...call, callId: callIdOf(operation, 'send'), amount, asset, network: network ?? '', to, since };
}

/** Gives back the tokens that were set aside for a delivery which no longer takes place. */
export async function release(legs: Legs, operation: Operation, now: Instant): Promise<Progress> {
  const { mode, price } = operation;
  const call: LegCall = { callId: callIdOf(operation, 'send'), mode, now };
  const network = price?.destination.network ?? null;
  if (network !== null) await legs.chain.release({ ...call, network });
  return { operation: { ...operation, isReserved: false, tries: 0 }, entries: [], waitMs: null };
}

/** Passes the buyer's answer to the leg that asked for it. */
export async function answerAction(
  legs: Legs,
  operation: Operation,
  confirmation: Confirmation,
  now: Instant,
): Promise<Progress> {
  const { state, price } = operation;
  if (state.kind !== 'awaiting' || price === null) throw new Error('The operation waits for no action of the buyer.');
  const call: LegCall = { callId: callIdOf(operation, state.step), mode: operation.mode, now };
  const context: CallContext = { legs, operation, price, call, details: null, now };
  if (state.step === 'authorize') {
    const order = { ...call, authorizationId: callIdOf(operation, 'authorize'), confirmation };
    return authorized(context, await legs.fiat.confirm(order));
  }
  if (state.step === 'identify' && legs.identity !== null)
    return identified(context, await legs.identity.confirm({ ...call, confirmation }));
  // The buyer's "I have sent it" is only a reason to look: what counts are the deposits on the chain.
  return depositProgress(context);
}

/** Checks an awaited action without an answer of the buyer, such as a completed redirect, a bank transfer or a deposit. */
export async function lookAgain(legs: Legs, operation: Operation, now: Instant): Promise<Progress> {
  const { state } = operation;
  if (state.kind !== 'awaiting') throw new Error('The operation waits for no action of the buyer.');
  return makeCall(legs, { ...operation, state: calling(state.step) }, null, now);
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

/** Screens the destination of the tokens and the refund address for a deposit. */
async function screenBeforePayment(context: CallContext): Promise<Screened> {
  const { operation, price, call } = context;
  const callId = callIdOf(operation, 'screen');
  const order = { ...call, moment: 'before_payment' } as const;
  const results = await Promise.all([
    screenAddress(context, { ...order, callId, address: operation.walletAddress, side: price.destination }),
    screenAddress(context, {
      ...order,
      callId: `${callId}_refund`,
      address: operation.refundAddress,
      side: price.source,
    }),
  ]);
  const worst = results.find(({ kind }) => kind === 'blocked') ?? results.find(({ kind }) => kind === 'pending');
  return worst ?? { kind: 'clear' };
}

async function screenAddress(
  { legs }: CallContext,
  {
    address,
    side: { amount, currency: asset, network },
    ...order
  }: LegCall & Pick<ScreeningOrder, 'moment'> & { readonly address: string | null; readonly side: Price['source'] },
): Promise<Screened> {
  if (legs.screening === null || address === null || network === null) return { kind: 'clear' };
  return legs.screening.screen({ ...order, address, amount, asset, network });
}

function screened(context: CallContext, step: ForwardStep, result: Screened): Progress {
  if (result.kind === 'pending') return wait(context, result);
  return result.kind === 'blocked' ? undo(context, BLOCKED) : next(context, step);
}

function sent(context: CallContext, result: SendResult): Progress {
  const { operation, price, now } = context;
  if (result.kind === 'refused')
    return isTakenBack(operation) ? stopTakenBack(operation, price, now) : undo(context, settlementError('delivery'));
  const onChain = onChainOf(context, price.destination.network, result);
  const following = { ...context, operation: { ...operation, onChain } };
  if (result.kind === 'sending' && result.problem !== undefined) return stuck(following, DELIVERED_IN_PART);
  if (result.kind === 'confirmed') {
    const delivered = { ...following, operation: { ...following.operation, isReserved: false } };
    return next(delivered, 'send', [moneyOut(operation, price, now)]);
  }
  return wait(following, { kind: 'pending', checkAfterMs: result.checkAfterMs });
}

function amountOf({ currency, network, amount }: Price['source'], exact = amount): FiatAmount | TokenAmount {
  return network === null ? { amount: exact, currency } : { amount: exact, asset: currency, network };
}
