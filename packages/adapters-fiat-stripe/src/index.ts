/** Payments at Stripe, as the fiat leg of a provider. */
export { fromStripeAmount, toStripeAmount } from './amounts.js';
export { stripePages, STRIPE_PAGES, type StripePagesOptions } from './component-pages.js';
export { StripeUnknownResultError } from './errors.js';
export { ALARMS } from './options.js';
export type { StripeFiatOptions, StripeMethod, StripeMethodType } from './options.js';
export { stripeFiat } from './stripe-fiat.js';
