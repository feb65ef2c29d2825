import type { Refusal } from '../wire/refusal.js';
import type { Wallet, Branding, Capabilities, Flow, Intent, UnavailableDetail } from '../wire/types.js';
import type { Draft, Screen, Step, Terms } from './screen.js';

export type Theme = 'light' | 'dark';

/** Display settings, independent of the order. */
export interface Settings {
  /** Whether the checkout is framed by a partner's page or is the full page. */
  readonly kind: 'frame' | 'page';
  readonly mode: 'test' | 'live';
  readonly locale: string;
  /** Null follows the theme of the device. */
  readonly theme: Theme | null;
  readonly partnerName: string | null;
  readonly branding: Branding | null;
  /** The wallets that this device supports. */
  readonly wallets: readonly Wallet[];
}

/** The data that opens the checkout, from the first message to the frame or from the full page's own bootstrap. */
export interface Opened {
  readonly available: boolean;
  readonly unavailableReason: string | null;
  readonly unavailableDetail: UnavailableDetail | null;
  /** Whether the token is bound to a session. */
  readonly isBound: boolean;
  /** The flow fixed by the page; it takes precedence over that of the session. */
  readonly flow: Flow | null;
  readonly capabilities: Capabilities;
  readonly theme: Theme | null;
  readonly locale: string | null;
  readonly partnerName: string | null;
  readonly branding: Branding | null;
  /** The URL for buyers who leave without buying, as given by the bootstrap. Null until the session provides it. */
  readonly cancelUrl: string | null;
  readonly config: Config;
}

/** Values that a page may set. Except for the return URL they only fill in what the session leaves open. */
export interface Config {
  readonly amount: string | null;
  readonly currency: string | null;
  readonly targetToken: string | null;
  readonly targetNetwork: string | null;
  readonly returnUrl: string | null;
}

export interface App {
  readonly settings: Settings;
  readonly opened: Opened | null;
  /** Null until the session has been read. */
  readonly terms: Terms | null;
  /** The buyer's draft when the attempt began; another attempt starts from it. */
  readonly memory: Draft | null;
  /** The step that the buyer was at when the page was reloaded; null once it is shown again. */
  readonly resumeAt: Step | null;
  /**
   * The largest lead of the service's clock over this device's that was observed, in ms. It is a lower bound, since a timestamp was already
   * in the past when it arrived. A device clock that is ahead is not corrected, so that no more time is shown than there is.
   */
  readonly leadMs: number;
  /** Null unless the buyer has asked to cancel the order. */
  readonly cancelling: Cancelling | null;
  readonly screen: Screen;
}

/** A message from the widget to the embedding page (spec: Browser messages). */
export type WidgetMessage =
  | {
      readonly type: 'PAYMENT_SUCCESS';
      readonly payload: {
        readonly txId: string;
        readonly sessionId: string;
        readonly amount: string;
        readonly currency: string;
      };
    }
  | {
      readonly type: 'PAYMENT_ERROR';
      readonly payload: { readonly code: string; readonly message: string; readonly intentId?: string };
    }
  | {
      readonly type: 'PAYMENT_CLOSE';
      readonly payload: { readonly reason: 'user_close' | 'session_expired' | 'unknown' };
    }
  /** `isNewStep` tells the page to scroll to the top of the frame, where the step begins, if it has scrolled past it. */
  | { readonly type: 'WIDGET_RESIZE'; readonly payload: { readonly height: number; readonly isNewStep: boolean } };

/** The intent of a screen; null if it has none. */
export function intentOf(screen: Screen): Intent | null {
  return 'intent' in screen ? screen.intent : null;
}

/** Whether returning to the shop is the only step left. Such a screen has its own link to the shop. */
export function isEnd(screen: Screen): boolean {
  return isOver(screen) || (screen.at === 'failure' && screen.wayOn === null);
}

/** Whether the screen is final: events that are still pending no longer change it. */
export function isOver({ at }: Screen): boolean {
  return at === 'success' || at === 'ended' || at === 'unavailable' || at === 'broken';
}

/** The state of the cancel dialog: waiting for confirmation, or sending. */
export interface Cancelling {
  readonly isSending: boolean;
  readonly refusal: Refusal | null;
}
