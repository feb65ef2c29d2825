import type { EmbedSession, Flow } from '../wire/types.js';
import type { Config, Opened } from './app.js';
import type { Terms } from './screen.js';

export const FLOWS: readonly Flow[] = ['on_ramp', 'off_ramp', 'swap'];

/** The default amount for prices where neither a session nor the page sets one. */
const LOOK_AROUND = { amount: '100.00', currency: 'EUR' } as const;

/** The terms of a session; the page's configuration fills in what the session leaves open. */
export function termsOf(opened: Opened, session: EmbedSession): Terms {
  const { config } = opened;
  const flow = opened.flow ?? session.flow;
  return {
    sessionId: session.id,
    amount: session.amount,
    currency: session.currency,
    flow,
    // Limited to flows that this version has a screen for.
    flows: flow === null ? FLOWS.filter((one) => session.capabilities.flows.includes(one)) : [flow],
    currencies: [],
    assets: session.capabilities.assets,
    components: session.capabilities.components ?? [],
    savable: session.capabilities.savable_payment_methods ?? [],
    saved: [],
    targetToken: session.target_token ?? config.targetToken,
    targetNetwork: session.target_network ?? config.targetNetwork,
    walletAddress: session.wallet_address,
    // The page may override the return URL, since it is not a term of the purchase (spec: Embedded widget contract).
    returnUrl: config.returnUrl ?? session.return_url,
    cancelUrl: session.cancel_url,
  };
}

/** The terms without a session, for showing prices only. */
export function termsWithoutSession({ flow, capabilities }: Opened, config: Config): Terms {
  const { flows, currencies, assets } = capabilities;
  return {
    sessionId: null,
    amount: config.amount ?? LOOK_AROUND.amount,
    currency: config.currency ?? LOOK_AROUND.currency,
    flow,
    flows: flow === null ? FLOWS.filter((one) => flows.includes(one)) : [flow],
    currencies,
    assets,
    components: [],
    savable: [],
    saved: [],
    targetToken: config.targetToken,
    targetNetwork: config.targetNetwork,
    walletAddress: null,
    returnUrl: config.returnUrl,
    cancelUrl: null,
  };
}
