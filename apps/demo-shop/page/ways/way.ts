import type { GateRampHandlers } from '@gateramp/sdk-browser';
import type { Flow } from '../situation.js';

/** The parameters of every way to show the checkout: public key, addresses, and the client secret of one order. */
export interface Checkout {
  readonly publishableKey: string;
  readonly clientSecret: string;
  readonly apiBaseUrl: string;
  readonly iframeUrl: string;
  readonly flow: Flow | null;
  readonly handlers: GateRampHandlers;
}

export interface Shown {
  /** Rejects with the SDK's error when the checkout cannot be shown. */
  readonly ready: Promise<void>;
  leave(): void;
}

export type Show = (checkout: Checkout) => Shown;
