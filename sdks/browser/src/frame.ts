import type { GateRampConfig } from './config.js';
import { localeOf } from './init-config.js';

const HEIGHT_PX = 600;
const HEIGHT_MIN_PX = 320;

/** The height of the frame for the given height of its content. */
export function frameHeight({ height = HEIGHT_PX, maxHeight = Infinity }: GateRampConfig, content = HEIGHT_PX): string {
  return `${height === 'auto' ? Math.min(maxHeight, Math.max(HEIGHT_MIN_PX, content)) : height}px`;
}

/** The address of the checkout. Never contains a secret or token, since addresses end up in logs. */
export function frameUrl(base: URL, config: GateRampConfig, sessionFlow: string | null): string {
  const url = new URL(base);
  if (url.pathname === '/') url.pathname = '/embed';
  const { publishableKey, flow = sessionFlow, theme } = config;
  return withQuery(url, { publishableKey, flow, theme, locale: localeOf(config) });
}

/** Adds the non-empty parameters to the address. */
export function withQuery(url: URL, query: Readonly<Record<string, string | null | undefined>>): string {
  for (const [name, value] of Object.entries(query)) if (value) url.searchParams.set(name, value);
  return url.href;
}

/** The accessible title of the frame, in languages where it is not "Checkout". */
const TITLES: Readonly<Record<string, string>> = {
  ar: 'صفحة الدفع',
  es: 'Pago',
  fr: 'Paiement',
  it: 'Pagamento',
  nl: 'Betaling',
  pl: 'Płatność',
  pt: 'Pagamento',
};

/** Styled through the CSSOM only, so that the page's policy need not allow inline styles. */
export function createFrame(base: URL, config: GateRampConfig, sessionFlow: string | null): HTMLIFrameElement {
  const { permissions = [] } = config;
  const frame = document.createElement('iframe');
  frame.src = frameUrl(base, config, sessionFlow);
  frame.title = TITLES[/[?&]locale=([a-z]+)/i.exec(frame.src)?.[1]?.toLowerCase() ?? ''] ?? 'Checkout';
  frame.allow = ['payment *', ...permissions].join('; ');
  frame.dataset['0gate'] = 'ramp';
  // Without `color-scheme`, browsers paint the frame white on a dark page until its own style has loaded.
  frame.style.cssText = `height:${frameHeight(config)};max-width:440px;margin:auto;width:100%;color-scheme:normal;display:block;border:0`;
  return frame;
}
