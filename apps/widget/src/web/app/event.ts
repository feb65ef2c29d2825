import type { ApiResult } from '../wire/refusal.js';
import type {
  DocumentSide,
  EmbedSession,
  Flow,
  Intent,
  IntentBody,
  OfferedComponent,
  PaymentMethod,
  QuotesBody,
  ConfirmBody,
  Quotes,
} from '../wire/types.js';
import type { RecentAddress } from '../host/recent-addresses.js';
import type { Draft, FieldErrors, WalletField } from './screen.js';

export type IntentCall = 'create' | 'read' | 'confirm' | 'cancel';
export type Timer = 'quotes' | 'poll' | 'deposit' | 'typing' | 'return';

/** The values that are chosen from a list. */
export type ChoiceName = 'currency' | 'source' | 'target';

/** An event that a screen handles. */
export type ScreenEvent =
  | { readonly type: 'chose_flow'; readonly flow: Flow }
  | { readonly type: 'chose_method'; readonly method: PaymentMethod }
  | { readonly type: 'chose'; readonly of: ChoiceName; readonly value: string }
  | { readonly type: 'typed'; readonly field: string; readonly value: string }
  | { readonly type: 'left_field'; readonly field: string }
  | { readonly type: 'chose_to_remember'; readonly isRemembered: boolean }
  | { readonly type: 'submitted'; readonly at: number }
  /** The buyer leaves for the bank's page. */
  | { readonly type: 'set_out' }
  /** The buyer is back from the bank's page, or has finished in the component. */
  | { readonly type: 'returned' }
  /** The buyer may be back from the bank's page: its window looks closed, or this page is in view. */
  | { readonly type: 'may_be_back' }
  /** The browser opened no window for the bank's page. */
  | { readonly type: 'window_blocked' }
  | { readonly type: 'chose_wallet'; readonly component: OfferedComponent }
  | { readonly type: 'chose_picture'; readonly side: DocumentSide; readonly file: File }
  | { readonly type: 'removed_picture' | 'retried_picture'; readonly side: DocumentSide }
  | { readonly type: 'upload_progressed'; readonly side: DocumentSide; readonly share: number }
  | { readonly type: 'upload_answered'; readonly side: DocumentSide; readonly answer: ApiResult<Intent> }
  /** `card` is the id of a saved card, or stands for a new card. */
  | { readonly type: 'chose_card'; readonly card: string }
  /** The buyer gives or withdraws consent to saving the card. */
  | { readonly type: 'chose_to_save'; readonly isSaving: boolean }
  | { readonly type: 'remove_asked'; readonly id: string }
  | { readonly type: 'remove_withdrawn' }
  | { readonly type: 'remove_confirmed' }
  | { readonly type: 'saved_removed'; readonly id: string; readonly answer: ApiResult<unknown> }
  | { readonly type: 'asked_for_code' }
  | { readonly type: 'went_back' }
  | { readonly type: 'retried' }
  | { readonly type: 'cancelled' }
  | { readonly type: 'quotes_answered'; readonly ask: number; readonly at: number; readonly answer: ApiResult<Quotes> }
  | { readonly type: 'intent_answered'; readonly call: IntentCall; readonly answer: ApiResult<Intent> }
  | { readonly type: 'session_answered'; readonly answer: ApiResult<EmbedSession> }
  | { readonly type: 'elapsed'; readonly timer: Timer }
  /** The look-up of a name has started. Without a resolver a name remains an error. */
  | { readonly type: 'name_asked'; readonly field: string; readonly name: string }
  | { readonly type: 'name_confirmed'; readonly field: string }
  /** `address` is null if the name has none or the look-up failed. */
  | {
      readonly type: 'name_resolved';
      readonly field: string;
      readonly name: string;
      readonly address: string | null;
    }
  /** A lazily loaded view is shown; its heading becomes the title of the page. */
  | { readonly type: 'view_shown' }
  /** The device is online again. */
  | { readonly type: 'went_online' };

/** A side effect requested by a screen. */
export type Effect =
  | { readonly do: 'read_session' }
  /** Stores addresses on this device, at the buyer's request. */
  | { readonly do: 'remember'; readonly addresses: readonly RecentAddress[] }
  | { readonly do: 'ask_quotes'; readonly ask: number; readonly body: QuotesBody }
  | { readonly do: 'create_intent'; readonly body: IntentBody }
  | { readonly do: 'read_intent'; readonly id: string }
  | { readonly do: 'confirm_intent'; readonly id: string; readonly body: ConfirmBody }
  | { readonly do: 'cancel_intent'; readonly id: string }
  | { readonly do: 'upload_document'; readonly id: string; readonly side: DocumentSide; readonly file: File }
  | { readonly do: 'list_saved' }
  | { readonly do: 'remove_saved'; readonly id: string }
  | { readonly do: 'resolve_name'; readonly field: string; readonly name: string; readonly network: string }
  /** Must result from a click, or the browser blocks the window. */
  | { readonly do: 'visit'; readonly url: string }
  /** Restarts the timer of that name if it is running. */
  | { readonly do: 'wait'; readonly timer: Timer; readonly ms: number }
  /** `at` is an instant on this device's clock. */
  | { readonly do: 'wait_until'; readonly timer: Timer; readonly at: number };

/** A navigation target. Screens do not depend on other screens, only on these targets. */
export type Destination =
  | { readonly to: 'order'; readonly draft: Draft }
  /** `errors` are those of refused addresses, if any. */
  | { readonly to: 'wallet'; readonly draft: Draft; readonly errors: FieldErrors<WalletField> }
  | { readonly to: 'payment'; readonly draft: Draft }
  /** The screen that matches the status of the intent. */
  | { readonly to: 'intent'; readonly intent: Intent }
  /** Starts over from the buyer's last draft. */
  | { readonly to: 'start' }
  /** Reads the session to find the screen. */
  | { readonly to: 'session' };

/** The result of an event: a new state of the screen, or navigation. */
export type Next<State> = Stay<State> | Navigation;

export interface Stay<State> {
  readonly state: State;
  readonly effects: readonly Effect[];
}

export interface Navigation {
  readonly go: Destination;
  /** Run before the effects of the new screen. */
  readonly effects: readonly Effect[];
}

export const stay = <State>(state: State, ...effects: readonly Effect[]): Stay<State> => ({ state, effects });
export const go = (destination: Destination, ...effects: readonly Effect[]): Navigation => ({
  go: destination,
  effects,
});
