import * as sdk from '@gateramp/sdk-browser';

/** How a `mount` ended, as far as it can be said across the wire to the test. */
export type Outcome = 'mounted' | Failure;

export interface Failure {
  readonly name: string;
  readonly message: string;
  readonly code?: string;
  readonly status?: number | null;
  readonly requestId?: string | null;
  readonly hint?: string;
}

export type Call = readonly [handler: string, payload: unknown];

const HANDLERS = ['onReady', 'onSuccess', 'onError', 'onClose', 'onUnavailable'] as const;

const FACTORIES = { on_ramp: sdk.createGateOnRamp, off_ramp: sdk.createGateOffRamp, swap: sdk.createGateSwap };

/** What the tests' shop does with the SDK: each of its checkouts has a number, and what each calls is written down. */
const shop = {
  sdk,
  ramps: [] as sdk.GateRamp[],
  /** By the number of the checkout. */
  calls: [] as Call[][],

  /** Answers the number. A flow makes it by the factory of that flow. */
  make(config: sdk.GateRampConfig, flow: sdk.Flow | null = null): number {
    shop.calls.push([]);
    return shop.ramps.push(flow === null ? new sdk.GateRamp(config) : FACTORIES[flow](config)) - 1;
  },

  mount(number: number, target = '#checkout'): Promise<Outcome> {
    const handlers = HANDLERS.map((name) => [name, (payload: unknown) => shop.calls[number]?.push([name, payload])]);
    return ended(shop.ramp(number).mount(target, Object.fromEntries(handlers) as sdk.GateRampHandlers));
  },

  open(config: sdk.GateRampConfig, target?: string): Promise<Outcome> {
    return shop.mount(shop.make(config), target);
  },

  /** What `hangingFetch` was asked for and whether that was given up. */
  hanging: [] as { aborted: boolean }[],

  /** Never answers, not even when it is given up. */
  hangingFetch(_url: RequestInfo | URL, init?: RequestInit): Promise<Response> {
    const call = { aborted: false };
    shop.hanging.push(call);
    init?.signal?.addEventListener('abort', () => (call.aborted = true));
    return new Promise(() => undefined);
  },

  ramp(number: number): sdk.GateRamp {
    const ramp = shop.ramps[number];
    if (ramp === undefined) throw new Error(`There is no checkout ${number}.`);
    return ramp;
  },
};

function ended(mounting: Promise<void>): Promise<Outcome> {
  return mounting.then(
    () => 'mounted',
    (error: unknown) => {
      if (!(error instanceof Error)) throw new Error('mount() rejected with what is no Error.');
      const { name, message } = error;
      if (!(error instanceof sdk.MountError)) return { name, message };
      const { code, status, requestId, hint } = error;
      return { name, message, code, status, requestId, hint };
    },
  );
}

declare global {
  // A global of the page, for the tests' own scripts in it.
  var shop: ShopScript;
}
export type ShopScript = typeof shop;

globalThis.shop = shop;
