import type { App, WidgetMessage } from './app.js';
import type { Effect } from './event.js';

/** What is to be done outside of the reducer. */
export type AppEffect =
  | Effect
  | { readonly do: 'post'; readonly message: WidgetMessage }
  | { readonly do: 'reload' }
  | { readonly do: 'cancel_session' }
  | { readonly do: 'leave'; readonly url: string };

/** A new state, and what is to be done. */
export interface Reduced {
  readonly app: App;
  readonly effects: readonly AppEffect[];
}
