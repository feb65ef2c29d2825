import { bootstrap, type Bootstrapped } from './bootstrap.js';
import { isWebUrl, parsedUrl, type GateRampConfig, type Theme } from './config.js';
import { MountError, MountTargetError } from './errors.js';
import { createFrame, frameHeight } from './frame.js';
import { unavailable, type GateRampHandlers } from './handlers.js';
import { hostsOf } from './hosts.js';
import { initConfig, type PagePreferences } from './init-config.js';
import { readMessage, type WidgetMessage } from './messages.js';
import { watchPolicy } from './watch-policy.js';

/** From `mount` to the checkout's first message, including the bootstrap. */
const READY_WITHIN_MS = 15_000;

/** How long a success is shown before the page redirects. */
const RETURN_AFTER_S = 3;

/** One checkout in one element, from bootstrap to unmount. A single signal ends everything that it adds to the page. */
export class Checkout {
  /** Resolves once the checkout is ready. Rejects if it cannot be shown; it has then ended. */
  readonly ready: Promise<void>;
  readonly #config: GateRampConfig;
  readonly #handlers: GateRampHandlers;
  readonly #api: URL;
  readonly #widget: URL;
  readonly #lifetime = new AbortController();
  /** The ready timeout, later the redirect timer; `clearTimeout` clears both kinds. */
  #timer: ReturnType<typeof setTimeout>;
  #frame: HTMLIFrameElement | null = null;
  #preferences: PagePreferences & { readonly theme?: Theme | undefined };
  #settle = { resolve: (): void => undefined, reject: (_: unknown): void => undefined };
  #isReady = false;
  #hasSucceeded = false;

  /** Throws a `ConfigError` for an invalid address. */
  constructor(target: Element, config: GateRampConfig, handlers: GateRampHandlers) {
    const hosts = hostsOf(config.environment, config.publishableKey);
    this.#config = config;
    this.#handlers = handlers;
    this.#preferences = { theme: config.theme };
    this.#api = parsedUrl('apiBaseUrl', config.apiBaseUrl ?? hosts.api);
    this.#widget = parsedUrl('iframeUrl', config.iframeUrl ?? hosts.widget);
    this.ready = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
    this.#timer = setTimeout(() => this.#fail(this.#timeoutError()), READY_WITHIN_MS);
    watchPolicy([this.#api.origin, this.#widget.origin], this.#lifetime.signal, (error) => this.#fail(error));
    this.#open(target).catch((error: unknown) => this.#fail(error));
  }

  get hasEnded(): boolean {
    return this.#lifetime.signal.aborted;
  }

  setTheme(theme: Theme): void {
    this.#preferences = { ...this.#preferences, theme };
    if (this.#isReady) this.#post('SET_THEME', { theme });
  }

  updateConfig({ amount, currency, targetToken, targetNetwork }: PagePreferences): void {
    // JSON leaves out undefined members.
    const preferences = JSON.parse(JSON.stringify({ amount, currency, targetToken, targetNetwork })) as PagePreferences;
    this.#preferences = { ...this.#preferences, ...preferences };
    if (this.#isReady) this.#post('UPDATE_CONFIG', preferences);
  }

  /** Removes the checkout. A pending mount is rejected; otherwise no error is raised. */
  end(): void {
    this.ready.catch(() => undefined);
    this.#fail(
      new MountError('aborted', {
        what: 'Unmounted before ready.',
        hint: 'Mount it again.',
      }),
    );
    this.#clear();
  }

  async #open(target: Element): Promise<void> {
    const { signal } = this.#lifetime;
    // Mounting, unmounting and mounting again in one turn, as React does in development, bootstraps once.
    await Promise.resolve();
    signal.throwIfAborted();
    const { publishableKey, clientSecret, countryCode, fetchImpl = fetch } = this.#config;
    const opened = await bootstrap({ api: this.#api, publishableKey, clientSecret, countryCode, fetchImpl, signal });
    if (!target.isConnected) throw new MountTargetError('The element is gone.');
    const frame = createFrame(this.#widget, this.#config, opened.flow);
    this.#frame = frame;
    const onMessage = ({ source, origin, data }: MessageEvent): void => {
      if (source === null || source !== frame.contentWindow || origin !== this.#widget.origin) return;
      const message = readMessage(data);
      if (message !== null) this.#receive(message, opened);
    };
    addEventListener('message', onMessage, { signal });
    target.append(frame);
  }

  #receive({ type, payload }: WidgetMessage, opened: Bootstrapped): void {
    if (type === 'WIDGET_READY') return this.#configure(payload, opened);
    // A checkout that is not ready has not been configured, so it has no buyer.
    if (!this.#isReady) return;
    const { available } = opened;
    switch (type) {
      case 'WIDGET_RESIZE':
        return this.#resize(payload);
      case 'PAYMENT_SUCCESS':
        if (!available || this.#hasSucceeded) return;
        this.#hasSucceeded = true;
        this.#returnSoon(opened);
        return this.#handlers.onSuccess?.(payload);
      case 'PAYMENT_ERROR':
        return available ? this.#handlers.onError?.(payload) : undefined;
      case 'PAYMENT_CLOSE':
        // The page already knows that the checkout is unavailable; that the buyer has closed it is news.
        return available || payload.reason === 'user_close' ? this.#handlers.onClose?.(payload) : undefined;
    }
  }

  /** Scrolls to the top of a new step if the page has scrolled past it. */
  #resize({ height, isNewStep }: { readonly height: number; readonly isNewStep: boolean }): void {
    const frame = this.#frame;
    if (frame === null || this.#config.height !== 'auto') return;
    frame.style.height = frameHeight(this.#config, height);
    if (isNewStep && frame.getBoundingClientRect().top < 0) frame.scrollIntoView();
  }

  /** Redirects once the buyer has seen the success for three seconds. If a handler unmounts the checkout, the page stays. */
  #returnSoon(opened: Bootstrapped): void {
    const { returnUrl } = initConfig(this.#config, opened, this.#preferences);
    if (this.#config.redirectOnSuccess === 'never' || !isWebUrl(returnUrl)) return;
    let seconds = RETURN_AFTER_S;
    this.#timer = setInterval(() => {
      if (!document.hidden && --seconds === 0) location.assign(returnUrl);
    }, 1000);
  }

  /** A checkout that reloads reports ready again and is configured again; the page is notified only once. */
  #configure(ready: { readonly capabilities?: unknown }, opened: Bootstrapped): void {
    this.#post('INIT_CONFIG', initConfig(this.#config, opened, this.#preferences));
    if (this.#isReady) return;
    this.#isReady = true;
    clearTimeout(this.#timer);
    this.#settle.resolve();
    const { unavailableReason } = opened;
    if (unavailableReason === null) this.#handlers.onReady?.(ready);
    else this.#handlers.onUnavailable?.(unavailable(unavailableReason, opened.detail));
  }

  /** Posts to the checkout's origin only, whatever the frame has navigated to. */
  #post(type: 'INIT_CONFIG' | 'SET_THEME' | 'UPDATE_CONFIG', payload: object): void {
    this.#frame?.contentWindow?.postMessage({ type, payload }, this.#widget.origin);
  }

  #timeoutError(): MountError {
    const isFramed = this.#frame !== null;
    const { origin } = isFramed ? this.#widget : this.#api;
    return new MountError('timeout', {
      what: `${origin} has not answered in ${READY_WITHIN_MS / 1000} s.`,
      hint: isFramed ? `Add ${location.origin} to the partner's allowed origins.` : 'Check the host.',
    });
  }

  /** Ends the checkout if it is not ready yet; later errors are ignored. */
  #fail(error: unknown): void {
    if (this.#isReady || this.hasEnded) return;
    this.#clear();
    this.#settle.reject(error);
  }

  #clear(): void {
    clearTimeout(this.#timer);
    this.#lifetime.abort();
    this.#frame?.remove();
  }
}
