import type { Refusal } from '../wire/refusal.js';
import type { Wallet, Branding, Capabilities, Flow, Intent, UnavailableDetail } from '../wire/types.js';
import type { Draft, Screen, Step, Terms } from './screen.js';

export type Theme = 'light' | 'dark';

/** What the page is shown with, whatever is bought. */
export interface Settings {
  /** In the frame of a partner's page, or the whole page. */
  readonly kind: 'frame' | 'page';
  readonly mode: 'test' | 'live';
  readonly locale: string;
  /** Null: that of the device. */
  readonly theme: Theme | null;
  readonly partnerName: string | null;
  readonly branding: Branding | null;
  /** Those of this device. */
  readonly wallets: readonly Wallet[];
}

/** What opens the checkout: the frame's first message, or the full page's own bootstrap. */
export interface Opened {
  readonly available: boolean;
  readonly unavailableReason: string | null;
  readonly unavailableDetail: UnavailableDetail | null;
  /** Whether the token is one of a session. */
  readonly isBound: boolean;
  /** The page's own lock; wins over that of the session. */
  readonly flow: Flow | null;
  readonly capabilities: Capabilities;
  readonly theme: Theme | null;
  readonly locale: string | null;
  readonly partnerName: string | null;
  readonly branding: Branding | null;
  /** Where the shop wants those who bought nothing, as far as the bootstrap has said; the session says it later. */
  readonly cancelUrl: string | null;
  readonly config: Config;
}

/** What a page may ask for; what the session fixes is not touched by it. */
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
  /** What the buyer had put together when the attempt began: what a second one starts from. */
  readonly memory: Draft | null;
  /** Where the buyer was when the page was loaded again; null once there again. */
  readonly resumeAt: Step | null;
  /**
   * By how much the clock of the service was ever seen ahead of this device's, in ms: whatever it has stamped was in its past when it came.
   * Where this device is ahead it is believed, so that no time is shown that there is not.
   */
  readonly leadMs: number;
  /** Null: the buyer has not asked to cancel the order. */
  readonly cancelling: Cancelling | null;
  readonly screen: Screen;
}

/** What the widget posts to the page that shows it (spec: Browser messages). */
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
  /** `isNewStep`: the page may have scrolled past the top of the frame, where the step begins. */
  | { readonly type: 'WIDGET_RESIZE'; readonly payload: { readonly height: number; readonly isNewStep: boolean } };

/** The intent that is at a screen, if one is: it can be called off. */
export function intentOf(screen: Screen): Intent | null {
  return 'intent' in screen ? screen.intent : null;
}

/** Nothing is left to do but to return to the shop, and the screen itself links to it. */
export function isEnd(screen: Screen): boolean {
  return isOver(screen) || (screen.at === 'failure' && screen.wayOn === null);
}

/** Nothing that is still on its way changes what the buyer has been shown last. */
export function isOver({ at }: Screen): boolean {
  return at === 'success' || at === 'ended' || at === 'unavailable' || at === 'broken';
}

/** The buyer is asked whether to cancel the order, or it is being cancelled. */
export interface Cancelling {
  readonly isSending: boolean;
  readonly refusal: Refusal | null;
}
