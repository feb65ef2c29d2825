import { isInReview } from '../screens/progress/progress-state.js';
import { type App, intentOf, isEnd } from './app.js';
import type { Screen } from './screen.js';

/** The ways to leave the checkout in its current state. */
interface Exit {
  /** The URL that the full page leaves for; null if the shop has set none. */
  readonly url: string | null;
  /**
   * The money is moving or may be, because the buyer knows where to send it, or documents are in review. Leaving cancels nothing and does
   * not lead to the cancel URL.
   */
  readonly isPaid: boolean;
  /**
   * Leaving is blocked while it is unknown whether money is about to move: the shop would tell a buyer who left now that nothing was
   * bought.
   */
  readonly isShut: boolean;
  /** Whether there is an order that can be cancelled. */
  readonly isCancellable: boolean;
}

export function exitOf({ screen, terms }: App): Exit {
  const intent = intentOf(screen);
  const action = intent?.next_action?.type;
  const isSendable = action === 'bank_transfer' || action === 'crypto_deposit';
  // A review continues without the buyer, so leaving cancels nothing.
  const isPaid =
    isSendable ||
    (intent !== null && isInReview(intent)) ||
    intent?.status === 'processing' ||
    intent?.status === 'succeeded';
  return {
    url: (isPaid ? null : terms?.cancelUrl) ?? terms?.returnUrl ?? null,
    isPaid,
    isShut: isSending(screen) || (screen.at === 'payment' && screen.isUnknown),
    isCancellable: (terms?.sessionId ?? null) !== null && !isPaid && !isEnd(screen),
  };
}

function isSending(screen: Screen): boolean {
  if ('form' in screen) return screen.form.isSending;
  return 'isSending' in screen && screen.isSending;
}
