import { bootstrap, type Bootstrapped } from './bootstrap.js';
import { isWebUrl, parsedUrl, type GateRampConfig, type Theme } from './config.js';
import { MountError, MountTargetError } from './errors.js';
import { createFrame, frameHeight } from './frame.js';
import { unavailable, type GateRampHandlers } from './handlers.js';
import { hostsOf } from './hosts.js';
import { initConfig, type PagePreferences } from './init-config.js';
import { readMessage, type WidgetMessage } from './messages.js';
import { watchPolicy } from './watch-policy.js';

/** From the call of `mount` to the checkout's first word, the bootstrap included. */
const READY_WITHIN_MS = 15_000;

/** For how long a success is shown before the page returns. */
const RETURN_AFTER_S = 3;

/** One checkout in one element, from its bootstrap to its end. All that it leaves on the page ends with one signal. */
export class Checkout {
  /** Resolves once the checkout listens. Rejects when it cannot come up, and then it has ended. */
  readonly ready: Promise<void>;
  readonly #config: GateRampConfig;
  readonly #handlers: GateRampHandlers;
  readonly #api: URL;
  readonly #widget: URL;
  readonly #life = new AbortController();
  /** Waits for the checkout to come up, and later to leave the page; either kind of timer is cleared alike. */
  #timer: ReturnType<typeof setTimeout>;
  #frame: HTMLIFrameElement | null = null;
  #wishes: PagePreferences & { readonly theme?: Theme | undefined };
  #settle = { resolve: (): void => undefined, reject: (_: unknown): void => undefined };
  #isReady = false;
  #hasSucceeded = false;

  /** Throws a `ConfigError` for an invalid address. */
  constructor(target: Element, config: GateRampConfig, handlers: GateRampHandlers) {
    const hosts = hostsOf(config.environment, config.publishableKey);
    this.#config = config;
    this.#handlers = handlers;
    this.#wishes = { theme: config.theme };
    this.#api = parsedUrl('apiBaseUrl', config.apiBaseUrl ?? hosts.api);
    this.#widget = parsedUrl('iframeUrl', config.iframeUrl ?? hosts.widget);
    this.ready = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
    this.#timer = setTimeout(() => this.#fail(this.#late()), READY_WITHIN_MS);
    watchPolicy([this.#api.origin, this.#widget.origin], this.#life.signal, (error) => this.#fail(error));
    this.#open(target).catch((error: unknown) => this.#fail(error));
  }

  get hasEnded(): boolean {
    return this.#life.signal.aborted;
  }

  setTheme(theme: Theme): void {
    this.#wishes = { ...this.#wishes, theme };
    if (this.#isReady) this.#post('SET_THEME', { theme });
  }

  updateConfig({ amount, currency, targetToken, targetNetwork }: PagePreferences): void {
    // JSON leaves out what is undefined.
    const wishes = JSON.parse(JSON.stringify({ amount, currency, targetToken, targetNetwork })) as PagePreferences;
    this.#wishes = { ...this.#wishes, ...wishes };
    if (this.#isReady) this.#post('UPDATE_CONFIG', wishes);
  }

  /** Takes everything away. A pending mount is rejected; without one, no error is raised. */
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
    const { signal } = this.#life;
    // What mounts, unmounts and mounts again in one turn, as React does in development, bootstraps once.
    await Promise.resolve();
    signal.throwIfAborted();
    const { publishableKey, clientSecret, countryCode, fetchImpl = fetch } = this.#config;
    const opened = await bootstrap({ api: this.#api, publishableKey, clientSecret, countryCode, fetchImpl, signal });
    if (!target.isConnected) throw new MountTargetError('The element is gone.');
    const frame = createFrame(this.#widget, this.#config, opened.flow);
    this.#frame = frame;
    const hear = ({ source, origin, data }: MessageEvent): void => {
      if (source === null || source !== frame.contentWindow || origin !== this.#widget.origin) return;
      const message = readMessage(data);
      if (message !== null) this.#hear(message, opened);
    };
    addEventListener('message', hear, { signal });
    target.append(frame);
  }

  #hear({ type, payload }: WidgetMessage, opened: Bootstrapped): void {
    if (type === 'WIDGET_READY') return this.#greet(payload, opened);
    // One that has not said that it listens knows of no buyer yet.
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
        // That one cannot be used its page knows; that the buyer has closed it is new to it.
        return available || payload.reason === 'user_close' ? this.#handlers.onClose?.(payload) : undefined;
    }
  }

  /** A new step begins at its top, which the page may have scrolled past. */
  #resize({ height, isNewStep }: { readonly height: number; readonly isNewStep: boolean }): void {
    const frame = this.#frame;
    if (frame === null) return;
    frame.style.height = frameHeight(this.#config, height);
    if (isNewStep && frame.getBoundingClientRect().top < 0) frame.scrollIntoView();
  }

  /** Once the buyer has seen the success for three seconds. A handler that unmounts the checkout keeps its page. */
  #returnSoon(opened: Bootstrapped): void {
    const { returnUrl } = initConfig(this.#config, opened, this.#wishes);
    if (this.#config.redirectOnSuccess === 'never' || !isWebUrl(returnUrl)) return;
    let seconds = RETURN_AFTER_S;
    this.#timer = setInterval(() => {
      if (!document.hidden && --seconds === 0) location.assign(returnUrl);
    }, 1000);
  }

  /** A checkout that reloads itself says again that it listens, and is configured again; the page is notified once. */
  #greet(ready: { readonly capabilities?: unknown }, opened: Bootstrapped): void {
    this.#post('INIT_CONFIG', initConfig(this.#config, opened, this.#wishes));
    if (this.#isReady) return;
    this.#isReady = true;
    clearTimeout(this.#timer);
    this.#settle.resolve();
    const { unavailableReason } = opened;
    if (unavailableReason === null) this.#handlers.onReady?.(ready);
    else this.#handlers.onUnavailable?.(unavailable(unavailableReason, opened.detail));
  }

  /** To the checkout's own origin and no other, whatever the frame shows by now. */
  #post(type: 'INIT_CONFIG' | 'SET_THEME' | 'UPDATE_CONFIG', payload: object): void {
    this.#frame?.contentWindow?.postMessage({ type, payload }, this.#widget.origin);
  }

  #late(): MountError {
    const isFramed = this.#frame !== null;
    const { origin } = isFramed ? this.#widget : this.#api;
    return new MountError('timeout', {
      what: `${origin} has not answered in ${READY_WITHIN_MS / 1000} s.`,
      hint: isFramed ? `Add ${location.origin} to the partner's allowed origins.` : 'Check the host.',
    });
  }

  /** Before it has come up, this is its end; afterwards nothing can fail. */
  #fail(error: unknown): void {
    if (this.#isReady || this.hasEnded) return;
    this.#clear();
    this.#settle.reject(error);
  }

  #clear(): void {
    clearTimeout(this.#timer);
    this.#life.abort();
    this.#frame?.remove();
  }
}
