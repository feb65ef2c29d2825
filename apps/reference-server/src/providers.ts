import { sandboxPools, sandboxProvider } from '@gateramp/adapters-provider-sandbox';
import type { Mode } from '@gateramp/core';
import type { Crypto } from '@gateramp/core/ports';
import type { LegsStore } from '@gateramp/provider-legs';
import type { AdapterReports, Adapters } from './adapters.js';
import type { Config } from './config/config.js';
import type { Gate } from './gate.js';
import { heldLegsStore } from './history/held-legs.js';
import { openLegs, type LegPages, type OpenLegs, type PagesPlace } from './legs/open-legs.js';
import type { Log } from './log.js';
import { countAlarm } from './metrics/counted.js';
import { watchLegs } from './metrics/watch-legs.js';
import { alarmLink } from './monitoring/alarm-path.js';
import { alarmLine } from './monitoring/alarms.js';

/** The origins at which browsers reach the checkout and the API. */
export interface WidgetOrigins {
  readonly test: string;
  readonly live: string;
  /** The API in test mode, which also serves the sandbox's pages. */
  readonly sandboxApi: string;
  readonly liveApi: string;
}

/** The pages of the providers that a buyer sees. */
export interface ProviderPages {
  /** The pages of the sandbox's bank and wallet, and their origin for browsers. */
  readonly sandboxPages: (request: Request) => Promise<Response>;
  readonly sandboxOrigin: string;
  /** The pages of the provider legs; null if they have none. */
  readonly legPages: LegPages | null;
}

/** Longer than the time after which the checkout reports a late price. */
const DEMO_SLOW_QUOTE_MS = 5_000;

interface ProviderParts extends Pick<AdapterReports, 'metrics' | 'telemetry'> {
  readonly config: Config;
  /** Null for a process without listeners. */
  readonly origins: WidgetOrigins | null;
  readonly crypto: Crypto;
  /** Whether provider legs must wait. */
  readonly isHeld: () => boolean;
  readonly log: Log;
}

/** The provider legs, if there are any, and the sandbox provider in the other modes. */
export function openProviders(
  adapters: Adapters,
  { config, origins, crypto, isHeld, metrics, telemetry, log }: ProviderParts,
) {
  const modes: readonly Mode[] = config.liveSandbox ? ['test', 'live'] : ['test'];
  const legs = legsOf(config, heldLegsStore(adapters.legsStore, isHeld), {
    metrics,
    log,
    telemetry,
    place: placeOf(config, origins),
  });
  if (legs !== null) watchLegs(metrics, legs, adapters.legsStore);
  const pagesUrl = origins === null ? null : (config.publicUrl ?? origins.sandboxApi);
  const sandbox = sandboxProvider({
    ledger: adapters.ledger,
    callbackSecret: callbackSecret(crypto),
    modes: modes.filter((mode) => config.legs?.modes.includes(mode) !== true),
    ...(pagesUrl === null ? {} : { pagesUrl }),
    ...(config.demo ? { slowQuoteMs: DEMO_SLOW_QUOTE_MS } : {}),
  });
  return { legs, sandbox, pagesUrl, pools: sandboxPools({ ledger: adapters.ledger, modes }) };
}

export type Providers = ReturnType<typeof openProviders>;

/** The pages of the providers that a buyer sees. */
export function pagesOf(
  { legs, sandbox, pagesUrl }: Providers,
  { clock }: Gate,
  origins: WidgetOrigins | null,
): ProviderPages {
  return {
    sandboxPages: sandbox.pages({
      now: (mode) => clock.now(mode),
      framedBy: origins === null ? [] : [origins.test, origins.live],
    }),
    sandboxOrigin: new URL(pagesUrl ?? 'https://sandbox.example').origin,
    legPages: legs?.pages ?? null,
  };
}

function placeOf({ publicUrl }: Config, origins: WidgetOrigins | null): PagesPlace | null {
  if (origins === null) return null;
  const { sandboxApi, liveApi, test, live } = origins;
  return { apiOf: { test: publicUrl ?? sandboxApi, live: publicUrl ?? liveApi }, framedBy: [test, live] };
}

/** Null if the sandbox is the only provider. */
function legsOf(
  { legs, consoleUrl }: Config,
  store: LegsStore,
  {
    metrics,
    log,
    telemetry,
    place,
  }: Pick<ProviderParts, 'metrics' | 'log' | 'telemetry'> & { readonly place: PagesPlace | null },
): OpenLegs | null {
  if (legs === null) return null;
  return openLegs(legs, {
    store,
    place,
    alarm: (name, fields) => {
      countAlarm(metrics, name, fields);
      log.error({ alarm: name, ...fields, ...alarmLink(fields, consoleUrl) }, alarmLine(name));
    },
    onError: (error) => telemetry.failure(error, { place: 'legs' }),
  });
}

/**
 * Derived from the installation rather than a master key: every process knows it, and quotes and callbacks survive a change of master keys.
 */
function callbackSecret(crypto: Crypto): string {
  return crypto.keyedHash('sandbox-provider', 'callbacks');
}
