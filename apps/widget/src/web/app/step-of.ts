import { walletFields } from '../screens/wallet/wallet-state.js';
import { isInReview } from '../screens/progress/progress-state.js';
import type { App } from './app.js';

/** How far the buyer is: at which of how many steps. */
export interface Progressed {
  readonly at: number;
  readonly of: number;
}

/** Null where there is no way to be on: prices to look at, an end, or something that went wrong. */
export function stepOf({ screen, terms }: App): Progressed | null {
  if (terms === null || terms.sessionId === null) return null;
  const flow = 'intent' in screen ? screen.intent.flow : 'draft' in screen ? screen.draft?.flow : undefined;
  if (flow === undefined) return null;
  const asksAddress = walletFields(terms, { flow }).length > 0;
  const of = asksAddress ? 4 : 3;
  switch (screen.at) {
    case 'resuming':
    case 'failure':
      return null;
    case 'order':
      return { at: 1, of };
    case 'wallet':
      return { at: 2, of };
    case 'progress':
      return { at: isInReview(screen.intent) ? of - 1 : of, of };
    case 'success':
      return { at: of, of };
    // The payment, and whatever an attempt asks the buyer for.
    default:
      return { at: of - 1, of };
  }
}
