import type { GateRampHandlers } from '@gateramp/sdk-browser';
import type { Flow } from '../situation.js';

/** What every way of showing the checkout is handed: the public key and addresses, and the secret of one order. */
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
