import { isAllFixed } from '../screens/order/choices.js';
import { walletFields } from '../screens/wallet/wallet-state.js';
import { isInReview } from '../screens/progress/progress-state.js';
import type { App } from './app.js';

/** The current step and the number of steps. */
export interface Progressed {
  readonly at: number;
  readonly of: number;
}

/** Null where no progress is shown: without a session, while opening or resuming, and after an end or a failure. */
export function stepOf({ screen, terms }: App): Progressed | null {
  if (terms === null || terms.sessionId === null) return null;
  const flow = 'intent' in screen ? screen.intent.flow : 'draft' in screen ? screen.draft?.flow : undefined;
  if (flow === undefined) return null;
  const asksAddress = walletFields(terms, { flow }).length > 0;
  const of = (isAllFixed(terms, flow) ? 2 : 3) + (asksAddress ? 1 : 0);
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
    // The payment, and every action that an attempt requires of the buyer.
    default:
      return { at: of - 1, of };
  }
}
