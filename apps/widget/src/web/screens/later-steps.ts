import { laterPart } from '../host/later-part.js';

/**
 * Saved cards and the steps after the payment form. They are fetched as soon as cards are listed, and by the form, so that they are there
 * when they are shown, even if the connection is lost at that moment.
 */
export const laterSteps = laterPart(() => import('./later-views.js'));
