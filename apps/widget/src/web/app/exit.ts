import { isInReview } from '../screens/progress/progress-state.js';
import { type App, intentOf, isEnd } from './app.js';
import type { Screen } from './screen.js';

/** How this checkout can be left. */
interface Exit {
  /** Where the full page is left for. Null: the shop has named no place. */
  readonly url: string | null;
  /**
   * The money is on its way, or may be, as the buyer knows where to send it, or documents are reviewed: leaving cancels nothing, and does
   * not lead to the cancel address.
   */
  readonly isPaid: boolean;
  /** Shut while it is unknown whether money is about to move: a buyer who left now would read that nothing was bought. */
  readonly isShut: boolean;
  /** Whether there is an order to cancel. */
  readonly isCancellable: boolean;
}

export function exitOf({ screen, terms }: App): Exit {
  const intent = intentOf(screen);
  const action = intent?.next_action?.type;
  const isSendable = action === 'bank_transfer' || action === 'crypto_deposit';
  // A review goes on without the buyer, and nothing is cancelled by leaving it.
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
