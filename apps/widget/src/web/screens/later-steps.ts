import { laterPart } from '../host/later-part.js';

/**
 * Saved cards and the steps after the payment form. They are loaded when saved cards are listed or the payment form is shown, so that they
 * are available even if the connection is lost later.
 */
export const laterSteps = laterPart(() => import('./later-views.js'));
