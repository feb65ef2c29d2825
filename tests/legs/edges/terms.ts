import type { EvmNetworkOptions } from '@gateramp/adapters-chain-evm';

export {
  PUBLIC_KEY,
  SECRET_KEY,
  WEBHOOK_SECRET,
} from '../../../packages/adapters-fiat-stripe/test/fake-stripe/fake-stripe.js';

/** The network of the runs, without its tokens and connections. */
export const NETWORK = {
  network: 'base',
  displayName: 'Base',
  chainId: 31_337,
  fees: 'eip1559',
  native: 'ETH',
  confirmations: 2,
  finalityDepth: 8,
  txUrl: null,
  pollMs: 500,
  networkFees: { USDC: { EUR: '0.05' }, ETH: { EUR: '0.05' } },
} as const satisfies Omit<EvmNetworkOptions, 'tokens' | 'transport'>;

export const WALLET_LIMITS = {
  maxPerSend: { USDC: '1000' },
  maxPerDay: { USDC: '3000', ETH: '2' },
} as const;
