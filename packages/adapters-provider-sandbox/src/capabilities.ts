import { FLOWS, type Capabilities, type Flow, type PaymentMethod, type ServedFee } from '@gateramp/core/domain';
import {
  SANDBOX_COUNTRIES,
  SANDBOX_CURRENCIES,
  SANDBOX_LIMITS,
  SANDBOX_METHODS,
  SANDBOX_NETWORKS,
  SANDBOX_TOKENS,
} from './corridors.js';
import { SANDBOX_PAYMENT_TOKENS } from './cards.js';
import type { Pages } from './pages/pages.js';
import { NETWORK_FEES, SERVICE_FEE_BPS } from './price.js';
import { QUOTE_LIFETIME_MS } from './quotes.js';

const NAMES: ReadonlyMap<string, string> = new Map([
  ['DE', 'Germany'],
  ['US', 'United States'],
  ['EUR', 'Euro'],
  ['USD', 'US dollar'],
  ['USDC', 'USD Coin'],
  ['ETH', 'Ether'],
  ['base', 'Base'],
  ['ethereum', 'Ethereum'],
]);

/** The capabilities of the sandbox: the same for all partners, in both modes. */
export const SANDBOX_CAPABILITIES: Capabilities = {
  flows: FLOWS,
  paymentMethods: SANDBOX_METHODS,
  refundable: SANDBOX_METHODS.on_ramp,
  savable: ['card'],
  countries: SANDBOX_COUNTRIES.map((code) => ({
    code,
    name: nameOf(code),
    flows: FLOWS,
    paymentMethods: allMethods(),
  })),
  currencies: SANDBOX_CURRENCIES.map((code) => ({ code, name: nameOf(code), decimals: 2, flows: FLOWS })),
  assets: Object.entries(SANDBOX_TOKENS).map(([code, { decimals, networks }]) => ({
    code,
    name: nameOf(code),
    decimals,
    networks,
    flows: FLOWS,
  })),
  networks: SANDBOX_NETWORKS.map((code) => ({ code, name: nameOf(code), addressFormat: 'evm' })),
  limits: FLOWS.flatMap((flow) => SANDBOX_METHODS[flow].flatMap((method) => limitsOf(flow, method))),
  fees: allMethods().flatMap(feesOf),
  quoteLifetime: QUOTE_LIFETIME_MS,
};

/** Adds the test wallet, whose component is one of the served pages. */
export function withSandboxPay(pages: Pages): Capabilities {
  return {
    ...SANDBOX_CAPABILITIES,
    components: [
      {
        paymentMethod: 'card',
        provider: 'sandbox',
        wallet: 'sandbox_pay',
        token: SANDBOX_PAYMENT_TOKENS.sandboxPay,
        frameUrl: pages.componentUrl,
      },
    ],
  };
}

/** The service fee is a percentage of the amount, the network fee a fixed amount. */
function feesOf(paymentMethod: PaymentMethod): readonly ServedFee[] {
  return SANDBOX_CURRENCIES.flatMap((currency): readonly ServedFee[] => [
    { paymentMethod, type: 'service', bps: SERVICE_FEE_BPS, fixedAmount: '0.00', currency, network: null },
    ...Object.entries(NETWORK_FEES).map(([network, fixedAmount]) => ({
      paymentMethod,
      type: 'network',
      bps: 0,
      fixedAmount,
      currency,
      network,
    })),
  ]);
}

function allMethods(): readonly PaymentMethod[] {
  return [...new Set(FLOWS.flatMap((flow) => SANDBOX_METHODS[flow]))];
}

function limitsOf(flow: Flow, paymentMethod: PaymentMethod): Capabilities['limits'] {
  return SANDBOX_CURRENCIES.map((currency) => ({ flow, paymentMethod, currency, ...SANDBOX_LIMITS, spreadBps: 0 }));
}

function nameOf(code: string): string {
  const name = NAMES.get(code);
  if (name === undefined) throw new Error(`The sandbox supports ${code} but has no name for it.`);
  return name;
}
