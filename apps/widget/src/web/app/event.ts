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

/** What there are lists to choose from for. */
export type ChoiceName = 'currency' | 'source' | 'target';

/** Everything that can happen to a screen. */
export type ScreenEvent =
  | { readonly type: 'chose_flow'; readonly flow: Flow }
  | { readonly type: 'chose_method'; readonly method: PaymentMethod }
  | { readonly type: 'chose'; readonly of: ChoiceName; readonly value: string }
  | { readonly type: 'typed'; readonly field: string; readonly value: string }
  | { readonly type: 'left_field'; readonly field: string }
  | { readonly type: 'chose_to_remember'; readonly isRemembered: boolean }
  | { readonly type: 'submitted'; readonly at: number }
  /** The buyer goes to the bank's page. */
  | { readonly type: 'set_out' }
  /** The buyer is back from there, or has finished in the component. */
  | { readonly type: 'returned' }
  | { readonly type: 'chose_wallet'; readonly component: OfferedComponent }
  | { readonly type: 'chose_picture'; readonly side: DocumentSide; readonly file: File }
  | { readonly type: 'removed_picture' | 'retried_picture'; readonly side: DocumentSide }
  | { readonly type: 'upload_progressed'; readonly side: DocumentSide; readonly share: number }
  | { readonly type: 'upload_answered'; readonly side: DocumentSide; readonly answer: ApiResult<Intent> }
  /** A saved card, by its id, or another one. */
  | { readonly type: 'chose_card'; readonly card: string }
  /** The buyer consents to the card being saved, or does not. */
  | { readonly type: 'chose_to_save'; readonly isSaving: boolean }
  | { readonly type: 'remove_asked'; readonly id: string }
  | { readonly type: 'remove_withdrawn' }
  | { readonly type: 'remove_confirmed' }
  | { readonly type: 'saved_removed'; readonly id: string; readonly answer: ApiResult<unknown> }
  | { readonly type: 'went_back' }
  | { readonly type: 'retried' }
  | { readonly type: 'cancelled' }
  | { readonly type: 'quotes_answered'; readonly ask: number; readonly at: number; readonly answer: ApiResult<Quotes> }
  | { readonly type: 'intent_answered'; readonly call: IntentCall; readonly answer: ApiResult<Intent> }
  | { readonly type: 'session_answered'; readonly answer: ApiResult<EmbedSession> }
  | { readonly type: 'elapsed'; readonly timer: Timer }
  /** A resolver is being asked. Without one, a name stays an error. */
  | { readonly type: 'name_asked'; readonly field: string; readonly name: string }
  | { readonly type: 'name_confirmed'; readonly field: string }
  /** Null: the name has no address, or could not be looked up. */
  | {
      readonly type: 'name_resolved';
      readonly field: string;
      readonly name: string;
      readonly address: string | null;
    }
  /** A view that had to be fetched is shown, and its heading is the title of the page. */
  | { readonly type: 'view_shown' }
  /** The device is online again. */
  | { readonly type: 'went_online' };

/** What a screen wants done. It does nothing itself. */
export type Effect =
  | { readonly do: 'read_session' }
  /** On this device, as the buyer has asked. */
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
  /** By a press of the buyer's, or the browser would not open a window. */
  | { readonly do: 'visit'; readonly url: string }
  /** A timer of that name that is already running is set again. */
  | { readonly do: 'wait'; readonly timer: Timer; readonly ms: number }
  /** Until an instant on this device's clock. */
  | { readonly do: 'wait_until'; readonly timer: Timer; readonly at: number };

/** Where a screen sends the buyer. Screens know of no other screen, only of what is to be shown. */
export type Destination =
  | { readonly to: 'order'; readonly draft: Draft }
  /** With what was refused about the addresses. */
  | { readonly to: 'wallet'; readonly draft: Draft; readonly errors: FieldErrors<WalletField> }
  | { readonly to: 'payment'; readonly draft: Draft }
  /** Whatever screen the intent is at. */
  | { readonly to: 'intent'; readonly intent: Intent }
  /** Begin again, with what was put together before. */
  | { readonly to: 'start' }
  /** The state of the session is to be looked up. */
  | { readonly to: 'session' };

/** What a screen makes of an event: another state of itself, or a way to go. */
export type Next<State> = Stay<State> | Navigation;

export interface Stay<State> {
  readonly state: State;
  readonly effects: readonly Effect[];
}

export interface Navigation {
  readonly go: Destination;
  /** Done before those of the screen that is reached. */
  readonly effects: readonly Effect[];
}

export const stay = <State>(state: State, ...effects: readonly Effect[]): Stay<State> => ({ state, effects });
export const go = (destination: Destination, ...effects: readonly Effect[]): Navigation => ({
  go: destination,
  effects,
});
