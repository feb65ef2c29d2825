import { Checkout } from './checkout.js';
import { checkHeights, checkKey, type GateRampConfig, type Theme } from './config.js';
import { MountTargetError, StateError } from './errors.js';
import type { GateRampHandlers } from './handlers.js';
import type { PagePreferences } from './init-config.js';
import { redirectToCheckout, type RedirectConfig } from './redirect-to-checkout.js';

/**
 * A checkout in an iframe on your page. A page may contain several.
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
   * Throws a `SecretKeyInBrowserError` for a key that begins with `sk_`, and a `ConfigError` for any other invalid
   * key or an invalid `height` or `maxHeight`.
   */
  constructor(config: GateRampConfig) {
    checkKey(config.publishableKey);
    checkHeights(config);
    this.#config = { ...config };
  }

  /** Navigates to the hosted checkout, which returns to `return_url` or `cancel_url`. No handlers are called. */
  static redirectToCheckout(config: RedirectConfig): void {
    redirectToCheckout(config);
  }

  /**
   * Bootstraps and shows the checkout in `target`, a selector or an element. Resolves once it is usable,
   * or shows the buyer why it is unavailable.
   *
   * Rejects with a `MountTargetError` if there is no such element, a `StateError` if this instance is already mounted, a `ConfigError` for
   * an invalid option, and otherwise with a `MountError` whose `code` and `hint` name the cause, after at most 15 s.
   */
  mount(target: string | Element, handlers: GateRampHandlers = {}): Promise<void> {
    try {
      if (this.#checkout?.hasEnded === false) throw new StateError('Already mounted: call unmount() first.');
      this.#checkout = new Checkout(elementOf(target), this.#config, handlers);
      return this.#checkout.ready;
    } catch (error) {
      // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- everything thrown above is an error of this package
      return Promise.reject(error);
    }
  }

  /** Removes the checkout from the page. Without a mounted checkout it does nothing. */
  unmount(): void {
    this.#checkout?.end();
    this.#checkout = null;
  }

  /** Ignored while nothing is mounted. */
  setTheme(theme: Theme): void {
    this.#checkout?.setTheme(theme);
  }

  /** Sets preferences for whatever the session leaves open; it does not change bound values. Ignored while nothing is mounted. */
  updateConfig(preferences: PagePreferences): void {
    this.#checkout?.updateConfig(preferences);
  }
}

function elementOf(target: unknown): Element {
  const element = typeof target === 'string' ? firstMatch(target) : target;
  if (element instanceof Element) return element;
  throw new MountTargetError(`No element ${String(target)}.`);
}

/** An invalid selector matches nothing. */
function firstMatch(selector: string): Element | null {
  try {
    return document.querySelector(selector);
  } catch {
    return null;
  }
}
