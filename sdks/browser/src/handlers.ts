import type { CloseReason, PaymentFailure, PaymentSuccess } from './messages.js';

/** Callbacks of a checkout. All are optional, and none is called after `unmount`. */
export interface GateRampHandlers {
  /** The checkout is there and can be used. */
  readonly onReady?: ((ready: { readonly capabilities?: unknown }) => void) | undefined;
  /** The buyer has finished, at most once a mount. Grant value on your webhook `gate_session.completed`, never on this. */
  readonly onSuccess?: ((success: PaymentSuccess) => void) | undefined;
  /** An attempt has failed. The session stays open and the buyer may try again. */
  readonly onError?: ((failure: PaymentFailure) => void) | undefined;
  readonly onClose?: ((close: { readonly reason: CloseReason }) => void) | undefined;
  /** The checkout is shown and cannot be used; then nothing is called but this, and `onClose` when the buyer closes it. */
  readonly onUnavailable?: ((unavailable: Unavailable) => void) | undefined;
}

/** Why a checkout takes no payment now. */
export interface Unavailable {
  /** Such as `quota_exhausted`, `session_completed`, `corridor_unsupported` or `maintenance`; more may come. */
  readonly reason: string;
  /** For people, in English. */
  readonly message: string;
  /** With `corridor_unsupported` and `region_unsupported`: what no provider serves, as `unavailable_detail` of the bootstrap answer. */
  readonly detail: unknown;
}

/** The service gives reasons alone, and may add some; a page that wants other words has the reason to choose them by. */
export function unavailable(reason: string, detail: unknown): Unavailable {
  return { reason, message: `The checkout is not available: ${reason.replaceAll('_', ' ')}.`, detail };
}
