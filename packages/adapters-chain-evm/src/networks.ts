import type { Address } from 'viem';

/** The facts about a network that are the same for every installation. */
export interface EvmNetwork {
  readonly network: string;
  readonly displayName: string;
  readonly chainId: number;
  readonly fees: 'eip1559' | 'legacy';
  /** The asset that pays for gas. It is sent and received like a token with 18 decimals. */
  readonly native: string;
  readonly tokens: readonly EvmToken[];
  /** Required confirmations of a send. The block that contains the transaction counts as 1. */
  readonly confirmations: number;
  /** Required confirmations of a deposit; the same as `confirmations` by default. */
  readonly depositConfirmations?: number;
  /** `tag` waits for the `finalized` block instead of a number of confirmations. */
  readonly finality?: 'confirmations' | 'tag';
  /** Without a `finalized` block at the RPC, blocks this far below the newest one count as final. */
  readonly finalityDepth: number;
  /** URL template of a block explorer, in which `{hash}` is replaced by the transaction's hash; null without an explorer. */
  readonly txUrl: string | null;
  /** Interval between two rounds of the worker, in milliseconds. */
  readonly pollMs: number;
  /** The cost of one send for the house, by asset and fiat currency. */
  readonly networkFees?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Minimum amounts, by asset, for returning a deposit of another token than the requested one. By default, it must be worth its cost. */
  readonly minReturns?: Readonly<Record<string, string>>;
}

/** An ERC-20 token. */
export interface EvmToken {
  readonly asset: string;
  readonly address: Address;
  readonly decimals: number;
}

/** The decimals of all supported native coins. */
export const NATIVE_DECIMALS = 18;

/** Mainnets, with the issuers' own token contracts (USDC: native, not bridged). Spread one and add a `transport`. */
export const EVM_NETWORKS = {
  ethereum: {
    network: 'ethereum',
    displayName: 'Ethereum',
    chainId: 1,
    fees: 'eip1559',
    native: 'ETH',
    tokens: [
      { asset: 'USDC', address: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48', decimals: 6 },
      { asset: 'USDT', address: '0xdAC17F958D2ee523a2206206994597C13D831ec7', decimals: 6 },
    ],
    confirmations: 12,
    finalityDepth: 65,
    txUrl: 'https://etherscan.io/tx/{hash}',
    pollMs: 4_000,
  },
  base: {
    network: 'base',
    displayName: 'Base',
    chainId: 8453,
    fees: 'eip1559',
    native: 'ETH',
    tokens: [{ asset: 'USDC', address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', decimals: 6 }],
    confirmations: 12,
    finalityDepth: 30,
    txUrl: 'https://basescan.org/tx/{hash}',
    pollMs: 2_000,
  },
  arbitrum: {
    network: 'arbitrum',
    displayName: 'Arbitrum One',
    chainId: 42161,
    fees: 'eip1559',
    native: 'ETH',
    tokens: [
      { asset: 'USDC', address: '0xaf88d065e77c8cC2239327C5EDb3A432268e5831', decimals: 6 },
      { asset: 'USDT', address: '0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9', decimals: 6 },
    ],
    confirmations: 40,
    finalityDepth: 240,
    txUrl: 'https://arbiscan.io/tx/{hash}',
    pollMs: 1_000,
  },
  polygon: {
    network: 'polygon',
    displayName: 'Polygon PoS',
    chainId: 137,
    fees: 'eip1559',
    native: 'POL',
    tokens: [
      { asset: 'USDC', address: '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359', decimals: 6 },
      { asset: 'USDT', address: '0xc2132D05D31c914a87C6611C10748AEb04B58e8F', decimals: 6 },
    ],
    confirmations: 64,
    finalityDepth: 200,
    txUrl: 'https://polygonscan.com/tx/{hash}',
    pollMs: 2_000,
  },
} as const satisfies Readonly<Record<string, EvmNetwork>>;
