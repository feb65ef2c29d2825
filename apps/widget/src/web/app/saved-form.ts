import { EMPTY_DRAFT } from '../screens/quoting.js';
import type { Flow, PaymentMethod } from '../wire/types.js';
import type { App } from './app.js';
import type { Asset, Draft, Screen, Step } from './screen.js';

/**
 * The input of a buyer who has not tried to pay yet, to survive a reload. It never contains a card, an account, a name or a code. A wallet
 * address is not secret but private, so it is kept no longer than until the attempt.
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

/** The form to keep for a screen. Null once an attempt exists, whose data the service has, and once the checkout is over. */
export function keptOf({ terms, screen }: App): SavedForm | null {
  const isBound = terms !== null && terms.sessionId !== null;
  if (!isBound || !('draft' in screen) || screen.draft === null) return null;
  const { flow, method, source, target, wallet, refund } = screen.draft;
  return { step: stepOf(screen), flow, method, source, target, wallet, refund };
}

/** The step to resume at; after a failure that is the order. */
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
