import type { Address } from 'viem';

/** A network as data: what is the same for every installation. */
export interface EvmNetwork {
  readonly network: string;
  readonly displayName: string;
  readonly chainId: number;
  readonly fees: 'eip1559' | 'legacy';
  /** The asset that pays for gas, which is sent and received like a token of 18 decimals. */
  readonly native: string;
  readonly tokens: readonly EvmToken[];
  /** The block that contains a transaction counts as 1. */
  readonly confirmations: number;
  /** For deposits; as many as `confirmations` by default. */
  readonly depositConfirmations?: number;
  /** `tag` waits for the `finalized` block instead of a number of confirmations. */
  readonly finality?: 'confirmations' | 'tag';
  /** Where the RPC has no `finalized` block, one this many blocks below the newest is final. */
  readonly finalityDepth: number;
  /** `{hash}` is replaced by the transaction's hash. */
  readonly txUrl: string | null;
  /** How often the worker looks for news, in milliseconds. */
  readonly pollMs: number;
  /** What one send costs the house, in the buyer's currency, by asset and currency. */
  readonly networkFees?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Deposits of another token than was asked for are kept below this, by asset; each is returned by default. */
  readonly minReturns?: Readonly<Record<string, string>>;
}

/** An ERC-20 token. */
export interface EvmToken {
  readonly asset: string;
  readonly address: Address;
  readonly decimals: number;
}

/** Decimals of every native coin served here. */
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
