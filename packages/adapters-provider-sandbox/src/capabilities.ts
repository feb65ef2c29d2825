import { FLOWS, type Capabilities, type Flow, type PaymentMethod } from '@gateramp/core/domain';
import {
  SANDBOX_COUNTRIES,
  SANDBOX_CURRENCIES,
  SANDBOX_LIMITS,
  SANDBOX_METHODS,
  SANDBOX_NETWORKS,
  SANDBOX_TOKENS,
} from './corridors.js';

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

/** Everything the sandbox serves, as partners discover it: the same to all of them, in both modes. */
export const SANDBOX_CAPABILITIES: Capabilities = {
  flows: FLOWS,
  paymentMethods: SANDBOX_METHODS,
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
};

function allMethods(): readonly PaymentMethod[] {
  return [...new Set(FLOWS.flatMap((flow) => SANDBOX_METHODS[flow]))];
}

function limitsOf(flow: Flow, paymentMethod: PaymentMethod): Capabilities['limits'] {
  return SANDBOX_CURRENCIES.map((currency) => ({ flow, paymentMethod, currency, ...SANDBOX_LIMITS }));
}

function nameOf(code: string): string {
  const name = NAMES.get(code);
  if (name === undefined) throw new Error(`The sandbox serves ${code} and has no name for it.`);
  return name;
}
