import type { App, Settings } from '../app/app.js';
import type { Send } from '../app/run.js';
import type { Terms } from '../app/screen.js';
import type { Messages } from '../i18n/en.js';

/** What draws a screen. */
export interface AppViewProps {
  readonly app: App;
  readonly t: Messages;
  readonly send: Send;
}

/** What every view is given, in addition to its own screen. */
export interface ViewProps<Screen> {
  readonly screen: Screen;
  readonly app: App;
  readonly settings: Settings;
  readonly t: Messages;
  readonly send: Send;
}

/** For screens that there is none of before the session has been read. */
export interface TermedProps<Screen> extends ViewProps<Screen> {
  readonly terms: Terms;
}

/** The partner shown at the top of the page; until it is known, the page itself. */
export function ownerName({ partnerName }: Settings, t: Messages): string {
  return partnerName ?? t.checkout;
}

/** In sentences. */
export function shopName({ partnerName }: Settings, t: Messages): string {
  return partnerName ?? t.theShop;
}
