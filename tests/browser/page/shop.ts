import * as sdk from '@gateramp/sdk-browser';

/** The serializable outcome of a `mount`. */
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

/** A shop that uses the SDK. Its checkouts are numbered, and the calls of their handlers are recorded. */
const shop = {
  sdk,
  ramps: [] as sdk.GateRamp[],
  /** Handler calls by the number of the checkout. */
  calls: [] as Call[][],

  /** Creates a checkout and returns its number. With a flow, it uses the factory of that flow. */
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

  /** The requests of `hangingFetch`, and whether they were aborted. */
  hanging: [] as { aborted: boolean }[],

  /** Never settles, not even when it is aborted. */
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
  // A global of the page, for the scripts of the tests.
  var shop: ShopScript;
}
export type ShopScript = typeof shop;

globalThis.shop = shop;
