import { isOutage, type ApiResult, type Refusal } from '../wire/refusal.js';
import type { EmbedSession } from '../wire/types.js';
import type { App, Cancelling } from './app.js';
import { go, type Navigation } from './event.js';
import { exitOf } from './exit.js';
import type { Reduced } from './effect.js';

export type CancelEvent =
  | { readonly type: 'cancel_asked' }
  | { readonly type: 'cancel_withdrawn' }
  | { readonly type: 'cancel_confirmed' }
  | { readonly type: 'cancel_answered'; readonly answer: ApiResult<EmbedSession> };

/** A new state, or navigation to the current state of the order. */
type Cancelled = Reduced | (Navigation & { readonly app: App });

/** Handles the cancel dialog, which can open over any step. The step changes only if the service accepts the cancellation. */
export function reduceCancelling(app: App, event: CancelEvent): Cancelled {
  switch (event.type) {
    case 'cancel_asked': {
      const { isCancellable, isShut } = exitOf(app);
      return { app: isCancellable && !isShut ? { ...app, cancelling: ASKED } : app, effects: [] };
    }
    case 'cancel_withdrawn':
      return { app: { ...app, cancelling: null }, effects: [] };
    case 'cancel_confirmed':
      if (app.cancelling === null || app.cancelling.isSending) return { app, effects: [] };
      return { app: { ...app, cancelling: { isSending: true, refusal: null } }, effects: [{ do: 'cancel_session' }] };
    case 'cancel_answered':
      return event.answer.ok ? cancelled(app) : refused(app, event.answer.refusal);
  }
}

const ASKED: Cancelling = { isSending: false, refusal: null };

function cancelled(app: App): Reduced {
  const ended: App = { ...app, cancelling: null, screen: { at: 'ended', status: 'cancelled', settled: null } };
  const { url } = exitOf(ended);
  if (app.settings.kind === 'page') return { app: ended, effects: url === null ? [] : [{ do: 'leave', url }] };
  return {
    app: ended,
    effects: [{ do: 'post', message: { type: 'PAYMENT_CLOSE', payload: { reason: 'user_close' } } }],
  };
}

/**
 * If the order has progressed or ended meanwhile, its current state is shown, with the refusal if it is being paid. After an outage or a
 * rate limit the buyer can try again.
 */
function refused(app: App, refusal: Refusal): Cancelled {
  const { code } = refusal;
  const asked = app.cancelling === null ? null : { isSending: false, refusal };
  if (isOutage(code) || code === 'rate_limit_exceeded') return { app: { ...app, cancelling: asked }, effects: [] };
  return { app: { ...app, cancelling: code === 'session_processing' ? asked : null }, ...go({ to: 'session' }) };
}
