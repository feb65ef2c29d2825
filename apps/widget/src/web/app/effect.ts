import type { App, WidgetMessage } from './app.js';
import type { Effect } from './event.js';

/** A side effect requested by the reducer. */
export type AppEffect =
  | Effect
  | { readonly do: 'post'; readonly message: WidgetMessage }
  | { readonly do: 'reload' }
  | { readonly do: 'cancel_session' }
  | { readonly do: 'leave'; readonly url: string };

/** The new state and the effects to run. */
export interface Reduced {
  readonly app: App;
  readonly effects: readonly AppEffect[];
}
