import { ERROR_CODES } from '@gateramp/core/domain';
import { errorType, STATUSES } from '@gateramp/core/http';
import { MEANINGS } from './error-meanings.js';

/** Names and descriptions of resources, in the order of a typical integration. */
const RESOURCES: Readonly<Record<string, readonly [name: string, description: string]>> = {
  gate_sessions: [
    'Sessions',
    'One buy, sell or swap of one end user. Your server creates it; the buyer pays in the checkout.',
  ],
  webhooks: ['Webhook deliveries', 'The endpoint that receives signed events, its secret, and the log of deliveries.'],
  events: ['Events', 'Every event of this mode, whether or not it was delivered.'],
  transactions: ['Transactions', 'The money of one payment: amounts, fees, refunds and the transaction hash.'],
  quotes: ['Quotes', 'Prices. A preview only shows them; an executable quote can be used once.'],
  rails: ['Pay-ins and pay-outs', 'Payments that your server makes without a checkout.'],
  capabilities: [
    'Capabilities',
    'Countries, currencies, assets, networks, payment methods and limits that can be used.',
  ],
  branding: ['Branding', 'The appearance of the checkout.'],
  test_helpers: ['Test helpers', 'Test mode only: simulate a buyer and advance the clock.'],
  embed: ['Embedded checkout', 'Called by the checkout in the browser, with a publishable key or an embed token.'],
  portal: ['Portal', 'What partners manage themselves.'],
  pools: ['Pools', 'Trade against a liquidity pool, on a separate host.'],
  providers: ['Provider callbacks', 'Called by payment providers.'],
  health: ['Health', 'Liveness, for probes.'],
  docs: ['Documentation', 'This reference and its source.'],
};

/** The tag of a path: its first segment after the version. */
export function tagOf(path: string): string {
  return path.split('/').find((segment) => segment !== '' && segment !== 'v1') ?? 'gate';
}

/** The display name of a tag. */
export function tagName(tag: string): string {
  return RESOURCES[tag]?.[0] ?? tag;
}

/** The tags in `used`: known ones in reading order, those of other extensions, and the errors, with a heading per code. */
export function tagsOf(used: ReadonlySet<string>) {
  const known = Object.entries(RESOURCES).filter(([name]) => used.has(name));
  const resources = known.map(([name, [title, description]]) => ({ name, 'x-displayName': title, description }));
  const others = [...used].filter((name) => !(name in RESOURCES)).map((name) => ({ name }));
  const errors = ERROR_CODES.map((code) => `### \`${code}\`\n\n${errorText(code)}`).join('\n\n');
  return [...resources, ...others, { name: 'errors', 'x-displayName': 'Errors', description: errors }];
}

export function errorText(code: (typeof ERROR_CODES)[number]): string {
  return `${STATUSES[code]} ${errorType(STATUSES[code])}. ${MEANINGS[code]}`;
}
