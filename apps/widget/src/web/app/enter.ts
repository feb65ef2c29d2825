import { enterTransfer } from '../screens/awaited-money.js';
import { enterCode } from '../screens/code/code-state.js';
import { enterDocuments } from '../screens/documents/documents-state.js';
import { enterIdentity } from '../screens/identity/identity-state.js';
import { enterDeclined, enterPayment } from '../screens/payment/payment-state.js';
import { enterFailure } from '../screens/outcome/failure-state.js';
import { enterProgress } from '../screens/progress/progress-state.js';
import { askQuotes } from '../screens/quoting.js';
import { isAllFixed } from '../screens/order/choices.js';
import { walletFields } from '../screens/wallet/wallet-state.js';
import type { Failure, Flow, Intent } from '../wire/types.js';
import { go, stay, type Destination, type Next } from './event.js';
import type { Draft, Screen, Step, Terms } from './screen.js';

interface Known {
  readonly terms: Terms | null;
  readonly memory: Draft | null;
  readonly resumeAt: Step | null;
  readonly leadMs: number;
}

/** The screen of a destination. Before the terms are known it is always the opening screen. */
export function enter(known: Known, destination: Destination): Next<Screen> {
  const { terms, memory, resumeAt } = known;
  if (terms === null || destination.to === 'session') return stay<Screen>({ at: 'opening' }, { do: 'read_session' });
  switch (destination.to) {
    case 'order':
      return stay<Screen>({ at: 'order', draft: { ...destination.draft, component: null }, errors: {} });
    case 'wallet':
      // The step is skipped if the session fixes the address.
      return walletFields(terms, destination.draft).length > 0
        ? stay<Screen>({
            at: 'wallet',
            draft: destination.draft,
            names: {},
            errors: destination.errors,
          })
        : go({ to: 'payment', draft: destination.draft });
    case 'payment':
      return stay<Screen>(enterPayment(destination.draft));
    case 'intent':
      return enterIntent({ ...known, terms }, destination.intent);
    case 'start': {
      const { draft, effects } = askQuotes(terms, firstFlow(terms, memory), memory);
      const step = resumeAt !== null && draft.flow === memory?.flow ? resumeAt : 'order';
      if (isAllFixed(terms, draft.flow)) return stay<Screen>({ at: 'resuming', draft, step: 'payment' }, ...effects);
      return step === 'order'
        ? stay<Screen>({ at: 'order', draft, errors: {} }, ...effects)
        : stay<Screen>({ at: 'resuming', draft, step }, ...effects);
    }
  }
}

/** The flow chosen before, if it is still on offer. */
function firstFlow({ flow, flows }: Terms, memory: Draft | null): Flow {
  const before = flows.find((one) => one === memory?.flow);
  return before ?? flow ?? flows[0] ?? 'on_ramp';
}

function enterIntent({ terms, memory, leadMs }: Known & { readonly terms: Terms }, intent: Intent): Next<Screen> {
  switch (intent.status) {
    case 'succeeded':
      return stay<Screen>({ at: 'success', intent, isReturning: false });
    case 'failed':
      return intent.failure === null ? go({ to: 'start' }) : enterFailed(terms, memory, intent, intent.failure);
    case 'cancelled':
      return go({ to: 'start' });
    case 'requires_action':
      return enterAction(intent, leadMs);
    // A status that this version does not know is treated as in progress.
    default:
      return enterProgress(intent);
  }
}

function enterFailed(terms: Terms, memory: Draft | null, intent: Intent, failure: Failure): Next<Screen> {
  const attempt = { intent, failure };
  return enterDeclined(terms, memory, attempt) ?? stay<Screen>(enterFailure(terms, memory, attempt));
}

/** An action that this version does not know shows as progress, since another party may complete it. */
function enterAction(intent: Intent, leadMs: number): Next<Screen> {
  const action = intent.next_action;
  switch (action?.type) {
    case 'kyc':
      if (action.in_review === true) return enterProgress(intent);
      return stay<Screen>(
        action.documents === undefined ? enterIdentity(intent, action) : enterDocuments(intent, action),
      );
    case 'payment_authentication':
      return stay<Screen>(enterCode(intent, leadMs));
    case 'crypto_deposit':
      return enterTransfer('deposit', intent, Date.parse(action.expires_at) - leadMs);
    case 'bank_transfer':
      return enterTransfer('transfer', intent, Date.parse(action.expires_at) - leadMs);
    case 'redirect': {
      const { state, effects } = enterTransfer('visit', intent, Date.parse(action.expires_at) - leadMs);
      return stay<Screen>({ ...state, hasSetOut: false, isBlocked: false, isUnasked: false }, ...effects);
    }
    case 'provider_component':
      return enterTransfer('component', intent, Date.parse(action.expires_at) - leadMs);
    default:
      return enterProgress(intent);
  }
}
