import { isHeight } from './config.js';
import { isObject, type Fields } from './fields.js';

/** The buyer has finished. Only your webhooks tell whether money has settled. */
export interface PaymentSuccess {
  readonly txId: string;
  readonly sessionId?: string;
  readonly amount?: string;
  readonly currency?: string;
}

/** A failed attempt and its intent. */
export interface PaymentFailure {
  readonly code: string;
  readonly message: string;
  readonly intentId?: string;
}

/** The reason why the checkout was closed. */
export type CloseReason = 'user_close' | 'session_expired' | 'unknown';

/** Messages from the checkout to the page. */
export type WidgetMessage =
  | { readonly type: 'WIDGET_READY'; readonly payload: { readonly capabilities?: unknown } }
  | { readonly type: 'PAYMENT_SUCCESS'; readonly payload: PaymentSuccess }
  | { readonly type: 'PAYMENT_ERROR'; readonly payload: PaymentFailure }
  | { readonly type: 'PAYMENT_CLOSE'; readonly payload: { readonly reason: CloseReason } }
  | { readonly type: 'WIDGET_RESIZE'; readonly payload: { readonly height: number; readonly isNewStep: boolean } };

/** Returns null for anything but an exact message. Unknown members are dropped. */
export function readMessage(data: unknown): WidgetMessage | null {
  if (!isObject(data) || !isObject(data['payload'])) return null;
  const { type, payload } = data;
  switch (type) {
    case 'WIDGET_READY':
      return { type, payload: 'capabilities' in payload ? { capabilities: payload['capabilities'] } : {} };
    case 'PAYMENT_SUCCESS': {
      const { txId, ...others } = textsOf(payload, 'txId', 'sessionId', 'amount', 'currency');
      return txId ? { type, payload: { txId, ...others } } : null;
    }
    case 'PAYMENT_ERROR': {
      const { code, message, ...others } = textsOf(payload, 'code', 'message', 'intentId');
      return code && message !== undefined ? { type, payload: { code, message, ...others } } : null;
    }
    case 'PAYMENT_CLOSE': {
      const { reason } = textsOf(payload, 'reason');
      return reason ? { type, payload: { reason: closeReason(reason) } } : null;
    }
    case 'WIDGET_RESIZE': {
      const { height, isNewStep } = payload;
      return isHeight(height) ? { type, payload: { height, isNewStep: isNewStep === true } } : null;
    }
    default:
      return null;
  }
}

/** Returns the string members of these names; empty if one of them has another type. */
function textsOf(payload: Fields, ...names: readonly string[]): Readonly<Record<string, string>> {
  const texts: Record<string, string> = {};
  for (const name of names) {
    const value = payload[name] ?? null;
    if (typeof value === 'string') texts[name] = value;
    else if (value !== null) return {};
  }
  return texts;
}

/** Reasons of later versions are mapped to `unknown`. */
function closeReason(reason: string): CloseReason {
  return reason === 'user_close' || reason === 'session_expired' ? reason : 'unknown';
}
