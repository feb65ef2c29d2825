import type { App, Settings } from '../app/app.js';
import type { Send } from '../app/run.js';
import type { Terms } from '../app/screen.js';
import type { Messages } from '../i18n/en.js';

/** The props of the root view. */
export interface AppViewProps {
  readonly app: App;
  readonly t: Messages;
  readonly send: Send;
}

/** The props of every view, with the type of its screen. */
export interface ViewProps<Screen> {
  readonly screen: Screen;
  readonly app: App;
  readonly settings: Settings;
  readonly t: Messages;
  readonly send: Send;
}

/** The props of screens that exist only once the terms are known. */
export interface TermedProps<Screen> extends ViewProps<Screen> {
  readonly terms: Terms;
}

/** The partner's name for the top of the page; a generic title until it is known. */
export function ownerName({ partnerName }: Settings, t: Messages): string {
  return partnerName ?? t.checkout;
}

/** The partner's name for use in sentences. */
export function shopName({ partnerName }: Settings, t: Messages): string {
  return partnerName ?? t.theShop;
}
