import { EMPTY_DRAFT } from '../screens/quoting.js';
import type { Flow, PaymentMethod } from '../wire/types.js';
import type { App } from './app.js';
import type { Asset, Draft, Screen, Step } from './screen.js';

/**
 * What a reload must not take from a buyer who has not tried to pay yet. A card, an account, a name or a code is never
 * in it: where a buyer gets their crypto is not a secret, but still private, so it is kept no longer than that.
 */
export interface SavedForm {
  readonly step: Step;
  readonly flow: Flow;
  readonly method: PaymentMethod | null;
  readonly source: Asset | null;
  readonly target: Asset | null;
  readonly wallet: string;
  readonly refund: string;
}

/** Null once the service knows the rest by the attempt, and once there is nothing left to do. */
export function keptOf({ terms, screen }: App): SavedForm | null {
  const isBound = terms !== null && terms.sessionId !== null;
  if (!isBound || !('draft' in screen) || screen.draft === null) return null;
  const { flow, method, source, target, wallet, refund } = screen.draft;
  return { step: stepOf(screen), flow, method, source, target, wallet, refund };
}

/** After a failure the order is what comes next. */
function stepOf(screen: Screen): Step {
  switch (screen.at) {
    case 'wallet':
    case 'payment':
      return screen.at;
    case 'resuming':
      return screen.step;
    default:
      return 'order';
  }
}

export function recalledDraft({ step: _, ...kept }: SavedForm): Draft {
  return { ...EMPTY_DRAFT, ...kept };
}
