import { isInReview } from '../screens/progress/progress-state.js';
import { type App, intentOf, isEnd } from './app.js';
import type { Screen } from './screen.js';

/** How this checkout can be left. */
interface Exit {
  /** Where the full page is left for. Null: the shop has named no place. */
  readonly url: string | null;
  /**
   * The money is on its way, or may be by a bank transfer, or documents are reviewed: leaving cancels nothing, and does not lead to the
   * cancel address.
   */
  readonly isPaid: boolean;
  /** Shut while it is unknown whether money is about to move: a buyer who left now would read that nothing was bought. */
  readonly isShut: boolean;
  /** Whether there is an order to cancel. */
  readonly isCancellable: boolean;
}

export function exitOf({ screen, terms }: App): Exit {
  const intent = intentOf(screen);
  const isTransfer = intent?.next_action?.type === 'bank_transfer';
  // A review goes on without the buyer, and nothing is cancelled by leaving it.
  const isPaid =
    isTransfer ||
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
