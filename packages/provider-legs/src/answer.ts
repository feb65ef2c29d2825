import { NO_DETAILS, type Instant, type Outcome, type SettlementDetails, type Stage } from '@gateramp/core/domain';
import type { ProviderAnswer } from '@gateramp/core/ports';
import { bankActionsOf } from './disputes.js';
import type { Operation, Step } from './operation.js';

/** Bounds of the interval between two lookups of an operation. */
const CHECK_MS = { min: 1_000, max: 30_000 } as const;

/** The operation in the engine's terms. `dueAt` is the time of its next call. */
export function answerOf(operation: Operation, dueAt: Instant | null, now: Instant): ProviderAnswer {
  return {
    outcome: outcomeOf(operation),
    details: detailsOf(operation),
    checkAfterMs: checkAfter(operation, dueAt, now),
  };
}

function outcomeOf(operation: Operation): Outcome {
  const { state, failure } = operation;
  switch (state.kind) {
    case 'awaiting':
      return state.action.type === 'kyc'
        ? { kind: 'requires_action', nextAction: state.action, reasons: ['provider_policy'] }
        : { kind: 'requires_action', nextAction: state.action };
    case 'calling':
    case 'stuck':
      return { kind: 'processing', stage: stageOf(state.step, operation) };
    case 'ended':
      if (state.as !== 'failed') return { kind: state.as };
      if (failure === null) throw new Error('A failed operation has no failure.');
      return { kind: 'failed', failure };
  }
}

/** The stage that partners see. Identity comes before authorization in it, so that no stage is shown as completed before it is. */
function stageOf(step: Step, { flow, isVerified, onChain, returns }: Operation): Stage {
  switch (step) {
    case 'reserve':
    case 'screen':
    case 'register_payee':
    case 'identify':
      return 'kyc';
    case 'authorize':
      return isVerified ? 'authorization' : 'kyc';
    case 'clear':
      return 'screening';
    case 'capture':
      return 'capture';
    case 'deposit':
      return 'deposit';
    case 'convert':
      return 'conversion';
    case 'rescreen':
      return 'send';
    case 'send':
      return onChain?.hash === null || onChain === null ? 'send' : 'delivery';
    case 'pay_out':
      return 'payout';
    case 'surplus':
      if (returns.some(({ isBooked }) => !isBooked)) return 'deposit_over';
      return flow === 'off_ramp' ? 'payout' : 'delivery';
    case 'void':
      return 'payment';
    case 'refund':
    case 'return':
      return 'return';
  }
}

function detailsOf(operation: Operation): SettlementDetails {
  const { price, onChain } = operation;
  if (price === null) return NO_DETAILS;
  const { source, destination, exchangeRate, fees, feeTotal } = price;
  const details = { source, destination, exchangeRate, fees, feeTotal, ...bankActionsOf(operation) };
  if (onChain === null) return { ...details, txHash: null };
  const { hash, url, seen, required } = onChain;
  return { ...details, txHash: hash, txUrl: url, confirmations: { seen, required } };
}

function checkAfter({ state }: Operation, dueAt: Instant | null, now: Instant): number | null {
  if (state.kind === 'ended' || (state.kind === 'awaiting' && dueAt === null)) return null;
  return Math.min(CHECK_MS.max, Math.max(CHECK_MS.min, (dueAt ?? now) - now));
}
