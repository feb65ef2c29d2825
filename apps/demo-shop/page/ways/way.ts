import type { GateRampHandlers } from '@gateramp/sdk-browser';
import type { Flow } from '../shop-server.js';

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
  /** Resolves once the checkout is there; rejects with the SDK's error when it cannot be. */
  readonly ready: Promise<void>;
  leave(): void;
}

export type Show = (checkout: Checkout) => Shown;
