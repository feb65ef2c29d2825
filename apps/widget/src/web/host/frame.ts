import type { Config, Opened, Theme, WidgetMessage } from '../app/app.js';
import type { AppEvent } from '../app/reduce.js';
import { FLOWS } from '../app/terms-of.js';
import { LANGUAGES } from '../i18n/messages.js';
import { isMembers } from '../wire/refusal.js';
import type { Branding, Capabilities, Flow, UnavailableDetail, UnavailableUse } from '../wire/types.js';
import { claimsOfToken } from './token-claims.js';
import { isWebAddress } from './web-address.js';

export interface Frame {
  post(message: WidgetMessage): void;
}

type Members = Readonly<Record<string, unknown>>;

/**
 * Connects the iframe to the embedding page. It accepts messages only from the parent window. The first must contain a token issued for the
 * sender's origin, and later ones must come from that origin. All others are ignored silently, since an answer would only help an attacker.
 */
export function openFrame(
  { self, parent }: { readonly self: Window; readonly parent: Window },
  on: { opened(token: string, followsHeight: boolean): void; event(event: AppEvent): void },
): Frame {
  let origin: string | null = null;
  self.addEventListener('message', ({ source, origin: from, data }: MessageEvent<unknown>) => {
    if (source !== parent || !isMembers(data)) return;
    const { type, payload } = data;
    if (!isMembers(payload)) return;
    if (type === 'INIT_CONFIG' && origin === null) {
      const { embedToken } = payload;
      const claims = typeof embedToken === 'string' ? claimsOfToken(embedToken) : null;
      if (typeof embedToken !== 'string' || claims === null || claims.origin !== from) return;
      origin = from;
      on.opened(embedToken, payload['height'] === 'auto');
      if (claims.issuedAt !== null) on.event({ type: 'clock_seen', leadMs: claims.issuedAt - Date.now() });
      on.event({ type: 'opened', opened: openedBy(payload, claims.isBound) });
      return;
    }
    if (origin === null || from !== origin) return;
    const theme = themeOf(payload['theme']);
    if (type === 'SET_THEME' && theme !== null) on.event({ type: 'themed', theme });
    if (type === 'UPDATE_CONFIG') on.event({ type: 'configured', config: givenConfig(payload) });
  });
  // The embedding page is not verified yet; this message contains nothing secret.
  parent.postMessage({ type: 'WIDGET_READY', payload: { capabilities: CAPABILITIES } }, '*');
  return {
    post: (message) => {
      if (origin !== null) parent.postMessage(message, origin);
    },
  };
}

/** The capabilities of this version, independent of the session. */
const CAPABILITIES = { flows: FLOWS, themes: ['light', 'dark'], locales: LANGUAGES } as const;

function openedBy(payload: Members, isBound: boolean): Opened {
  return {
    available: payload['available'] !== false,
    unavailableReason: textOf(payload['unavailableReason']),
    unavailableDetail: unavailableDetailOf(payload['unavailableDetail']),
    isBound,
    flow: flowOf(payload['flow']),
    capabilities: capabilitiesOf(payload['capabilities']),
    theme: themeOf(payload['theme']),
    locale: textOf(payload['locale']),
    partnerName: null,
    branding: brandingOf(payload['branding']),
    cancelUrl: null,
    config: {
      amount: textOf(payload['amount']),
      currency: textOf(payload['currency']),
      targetToken: textOf(payload['targetToken']),
      targetNetwork: textOf(payload['targetNetwork']),
      returnUrl: webAddressOf(payload['returnUrl']),
    },
  };
}

function givenConfig(payload: Members): Partial<Config> {
  const names = ['amount', 'currency', 'targetToken', 'targetNetwork'] as const;
  return Object.fromEntries(
    names.flatMap((name) => {
      const text = textOf(payload[name]);
      return text === null ? [] : [[name, text]];
    }),
  );
}

/**
 * The capabilities that the embedding page received at its bootstrap. Older SDKs do not pass them; then all flows are offered, but
 * currencies and assets cannot be chosen.
 */
function capabilitiesOf(value: unknown): Capabilities {
  const { flows, currencies, assets } = isMembers(value) ? value : {};
  const codes = (list: unknown): readonly string[] => listOf(list, (code) => textOf(code));
  const flowsOf = (list: unknown): readonly Flow[] => listOf(list, flowOf);
  return {
    flows: flows === undefined ? FLOWS : flowsOf(flows),
    currencies: listOf(currencies, (one) => {
      const { code, decimals, flows: of } = isMembers(one) ? one : {};
      return typeof code === 'string' && typeof decimals === 'number' ? { code, decimals, flows: flowsOf(of) } : null;
    }),
    assets: listOf(assets, (one) => {
      const { code, networks, flows: of, unavailable } = isMembers(one) ? one : {};
      return typeof code === 'string'
        ? { code, networks: codes(networks), flows: flowsOf(of), unavailable: listOf(unavailable, unavailableUseOf) }
        : null;
    }),
  };
}

function unavailableUseOf(value: unknown): UnavailableUse | null {
  const { flow, used_as: usedAs, network, currency } = isMembers(value) ? value : {};
  const known = flowOf(flow);
  if (known === null || typeof network !== 'string' || typeof currency !== 'string') return null;
  return usedAs === 'source' || usedAs === 'target' ? { flow: known, used_as: usedAs, network, currency } : null;
}

/** Null if it is missing or malformed: then only the reason is shown. */
export function unavailableDetailOf(value: unknown): UnavailableDetail | null {
  const {
    term,
    code,
    value: asked,
    currency,
    min_amount: min,
    max_amount: max,
    decimals,
  } = isMembers(value) ? value : {};
  if (typeof term !== 'string' || typeof code !== 'string' || typeof asked !== 'string') return null;
  return {
    term,
    code,
    value: asked,
    currency: textOf(currency),
    min_amount: textOf(min),
    max_amount: textOf(max),
    decimals: typeof decimals === 'number' ? decimals : null,
  };
}

/** The valid items of a list. */
function listOf<Item>(value: unknown, read: (item: unknown) => Item | null): readonly Item[] {
  return Array.isArray(value) ? value.map(read).filter((item) => item !== null) : [];
}

/** Reads a branding. Missing or malformed members are null. */
export function brandingOf(value: unknown): Branding | null {
  if (!isMembers(value)) return null;
  return {
    display_name: textOf(value['display_name']),
    logo_url: webAddressOf(value['logo_url']),
    accent_color: textOf(value['accent_color']),
    theme: themeOf(value['theme']),
    support_url: webAddressOf(value['support_url']),
  };
}

export function themeOf(value: unknown): Theme | null {
  return value === 'light' || value === 'dark' ? value : null;
}

export function flowOf(value: unknown): Flow | null {
  return FLOWS.find((flow) => flow === value) ?? null;
}

function webAddressOf(value: unknown): string | null {
  const text = textOf(value);
  return text !== null && isWebAddress(text) ? text : null;
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
