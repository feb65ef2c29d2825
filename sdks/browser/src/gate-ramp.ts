import { Checkout } from './checkout.js';
import { checkHeight, checkKey, type GateRampConfig, type Theme } from './config.js';
import { MountTargetError, StateError } from './errors.js';
import type { GateRampHandlers } from './handlers.js';
import type { PagePreferences } from './init-config.js';
import { redirectToCheckout, type RedirectConfig } from './redirect-to-checkout.js';

/**
 * A checkout in an iframe of your page. A page may contain several.
 *
 * ```ts
 * const ramp = new GateRamp({ publishableKey, clientSecret });
 * await ramp.mount('#checkout', { onSuccess: ({ txId }) => thank(txId) });
 * ```
 */
export class GateRamp {
  readonly #config: GateRampConfig;
  #checkout: Checkout | null = null;

  /**
   * Throws a `SecretKeyInBrowserError` for a key that begins with `sk_`, and a `ConfigError` for any other invalid key
   * or a wrong `height` or `maxHeight`.
   */
  constructor(config: GateRampConfig) {
    checkKey(config.publishableKey);
    checkHeight('height', config.height);
    checkHeight('maxHeight', config.maxHeight);
    this.#config = { ...config };
  }

  /** Sends the buyer to the hosted page, which comes back to `return_url` or `cancel_url` and calls nothing here. */
  static redirectToCheckout(config: RedirectConfig): void {
    redirectToCheckout(config);
  }

  /**
   * Bootstraps and shows the checkout in `target`, a selector or an element. Resolves once it can be used, or says to its buyer why not.
   *
   * Rejects with a `MountTargetError` when there is no such element, a `StateError` when this instance is mounted, a `ConfigError` for an
   * option that cannot work, and otherwise with a `MountError` whose `code` and `hint` name the cause, after 15 s at most.
   */
  mount(target: string | Element, handlers: GateRampHandlers = {}): Promise<void> {
    try {
      if (this.#checkout?.hasEnded === false) throw new StateError('Already mounted: call unmount() first.');
      this.#checkout = new Checkout(elementOf(target), this.#config, handlers);
      return this.#checkout.ready;
    } catch (error) {
      // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- what is thrown above is an error of this package
      return Promise.reject(error);
    }
  }

  /** Takes the checkout off the page with everything that belongs to it. Without one it does nothing. */
  unmount(): void {
    this.#checkout?.end();
    this.#checkout = null;
  }

  /** Dropped silently while nothing is mounted. */
  setTheme(theme: Theme): void {
    this.#checkout?.setTheme(theme);
  }

  /** Wishes for where the session leaves something open; what it has bound stays. Dropped silently while nothing is mounted. */
  updateConfig(wishes: PagePreferences): void {
    this.#checkout?.updateConfig(wishes);
  }
}

function elementOf(target: unknown): Element {
  const element = typeof target === 'string' ? firstMatch(target) : target;
  if (element instanceof Element) return element;
  throw new MountTargetError(`No element ${String(target)}.`);
}

/** What is no selector matches nothing. */
function firstMatch(selector: string): Element | null {
  try {
    return document.querySelector(selector);
  } catch {
    return null;
  }
}
