import { intentOf, type App } from './app.js';
import type { Screen } from './screen.js';

/** Where the full page is left for. */
export interface WayOut {
  /** Null: the shop has named no place. */
  readonly url: string | null;
  /** The money is on its way: it is no cancelling any more, and does not lead where those go who bought nothing. */
  readonly isPaid: boolean;
  /** Shut while it is unknown whether money is about to move: whoever left now would read that nothing was bought. */
  readonly isShut: boolean;
  /** An attempt that waits for the buyer, and is ended before. */
  readonly cancelFirst: string | null;
}

export function wayOutOf({ screen, terms }: App): WayOut {
  const intent = intentOf(screen);
  const isPaid = intent?.status === 'processing' || intent?.status === 'succeeded';
  return {
    url: (isPaid ? null : terms?.cancelUrl) ?? terms?.returnUrl ?? null,
    isPaid,
    isShut: isSending(screen),
    cancelFirst: intent?.status === 'requires_action' ? intent.id : null,
  };
}

function isSending(screen: Screen): boolean {
  if ('form' in screen) return screen.form.isSending;
  return 'isSending' in screen && screen.isSending;
}
