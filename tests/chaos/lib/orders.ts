import type { Way } from '../hostile/ways.js';

/** The tasks of processes/*.ts. */
export interface Orders {
  readonly 'partner-endpoints': {
    readonly port: number;
    /** By path. `failing` is the share of refused requests, and `hanging` the share of these that hang. */
    readonly endpoints: Readonly<Record<string, EndpointOrders>>;
    readonly seed: number;
    readonly logPath: string;
  };
  readonly shopper: {
    readonly name: string;
    readonly origins: readonly string[];
    readonly checkouts: readonly string[];
    readonly partners: readonly ShopperPartner[];
    readonly creates: number;
    readonly purchases: number;
    readonly durationMs: number;
    readonly inFlightMax: number;
    readonly finishWithinMs: number;
    readonly seed: number;
    readonly logPath: string;
  };
  readonly 'back-office': {
    readonly origins: readonly string[];
    readonly poolsOrigins: readonly string[];
    readonly keys: { readonly test: string; readonly live: string };
    readonly pools: { readonly large: string; readonly small: string };
    readonly payments: number;
    readonly trades: number;
    readonly durationMs: number;
    readonly finishWithinMs: number;
    readonly seed: number;
    readonly logPath: string;
  };
  readonly racer: {
    readonly origins: readonly string[];
    readonly partner: { readonly secretKey: string; readonly origin: string };
    readonly keys: readonly string[];
    readonly requests: number;
    readonly inFlight: number;
    readonly seed: number;
    readonly logPath: string;
  };
  readonly 'healthy-partner': {
    readonly port: number;
    readonly origin: string;
    readonly secretKey: string;
    readonly perSecond: number;
    readonly inFlightMax: number;
    readonly repeatsShed: boolean;
    readonly others: number;
    readonly logPath: string;
  };
  readonly 'hostile-endpoints': {
    readonly ways: readonly Way[];
    readonly wave: { readonly size: number; readonly holdMs: number; readonly waitsMs: number };
    readonly yields: boolean;
    readonly logPath: string;
  };
}

export interface EndpointOrders {
  readonly secret: string;
  readonly failing: number;
  readonly hanging: number;
}

export interface ShopperPartner {
  readonly secretKey: string;
  readonly publishableKey: string;
  readonly origin: string;
}
