import type { CloseReason, PaymentFailure, PaymentSuccess } from './messages.js';

/** Callbacks of a checkout. All are optional, and none is called after `unmount`. */
export interface GateRampHandlers {
  /** The checkout is usable. */
  readonly onReady?: ((ready: { readonly capabilities?: unknown }) => void) | undefined;
  /**
   * The buyer has finished; called at most once per mount. Fulfil the order on your webhook
   * `gate_session.completed`, never on this callback.
   */
  readonly onSuccess?: ((success: PaymentSuccess) => void) | undefined;
  /** An attempt has failed. The session stays open and the buyer may try again. */
  readonly onError?: ((failure: PaymentFailure) => void) | undefined;
  readonly onClose?: ((close: { readonly reason: CloseReason }) => void) | undefined;
  /** The checkout is shown but cannot be used. After this, only `onClose` is called, if the buyer closes it. */
  readonly onUnavailable?: ((unavailable: Unavailable) => void) | undefined;
}

/** Describes why a checkout currently takes no payments. */
export interface Unavailable {
  /** For example `quota_exhausted`, `session_completed`, `corridor_unsupported` or `maintenance`; more may be added. */
  readonly reason: string;
  /** A human-readable message in English. */
  readonly message: string;
  /**
   * With `corridor_unsupported` and `region_unsupported`: the unsupported corridor, as in `unavailable_detail` of the bootstrap response.
   */
  readonly detail: unknown;
}

/** The service returns only reasons, and may add some. Pages can choose their own wording by the reason. */
export function unavailable(reason: string, detail: unknown): Unavailable {
  return { reason, message: `The checkout is not available: ${reason.replaceAll('_', ' ')}.`, detail };
}
