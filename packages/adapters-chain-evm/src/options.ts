import type { Instant } from '@gateramp/core/domain';
import type { LegsStore } from '@gateramp/provider-legs';
import type { Address, LocalAccount, Transport } from 'viem';

import type { EvmNetwork } from './networks.js';

/** The networks, wallet and store of `evmChain`. */
export interface EvmChainOptions {
  readonly networks: readonly EvmNetworkOptions[];
  readonly wallet: HotWalletOptions;
  /** Without it there are no deposit addresses, so only `on_ramp` is possible. */
  readonly deposits?: DepositOptions;
  readonly store: LegsStore;
  /** Receives every condition that needs an operator. Must not throw. */
  readonly alarm?: AlarmSink;
  /** Name of the leg; `evm` by default. */
  readonly name?: string;
  /** Milliseconds since 1970; the system clock by default. */
  readonly now?: () => Instant;
}

/** Receives a condition that needs an operator. The fields never contain a key. */
export type AlarmSink = (name: AlarmName, fields: Readonly<Record<string, string | number>>) => void;

/** The alarms of this leg. */
export type AlarmName =
  | 'rpc_silent'
  | 'chain_id_mismatch'
  | 'token_decimals_mismatch'
  | 'token_fee_on_transfer'
  | 'token_transfer_reverts'
  | 'wallet_unfunded'
  | 'wallet_below_floor'
  | 'wallet_limit_reached'
  | 'wallet_paused'
  | 'gas_ceiling'
  | 'nonce_conflict'
  | 'send_reverted'
  | 'send_reorged'
  | 'send_without_transfer'
  | 'deposit_reorged'
  | 'deposit_missed'
  | 'deposit_not_found'
  | 'unattributed_deposit'
  | 'deep_reorg'
  | 'worker_failed';

/** A network, with its connection and limits. */
export interface EvmNetworkOptions extends EvmNetwork {
  /** A transport of viem: `http(url)`, `fallback([…])`, `custom(provider)`. */
  readonly transport: Transport;
  /** A second, independent RPC, with which the reconciler compares the credited deposits. */
  readonly reconcileTransport?: Transport;
  /** Nothing is signed above this gas price in gwei; no ceiling by default. */
  readonly gasCeilingGwei?: string;
  /** Time limit of one RPC call; 10 s by default. */
  readonly rpcTimeoutMs?: number;
  /** A pending transaction gets a higher fee after this long; 30 s by default. */
  readonly bumpAfterMs?: number;
  /** The maximum number of sends that have a nonce and are not in a block yet; others wait for a nonce. 64 by default. */
  readonly inFlightMax?: number;
}

/** The wallet that sends. Amounts are decimal text in whole tokens, by asset. */
export interface HotWalletOptions {
  /** `privateKeyToAccount(key)`, or viem's `toAccount({…})` around a key service. Only `signTransaction` is used. */
  readonly account: LocalAccount;
  /** When set, `evmChain` throws for an account with another address. */
  readonly address?: Address;
  readonly maxPerSend?: Readonly<Record<string, string>>;
  /** Per network and UTC day. */
  readonly maxPerDay?: Readonly<Record<string, string>>;
  /** The alarm `wallet_below_floor` is raised below these balances. */
  readonly floor?: Readonly<Record<string, string>>;
}

/** The key of the deposit addresses, which are children `0/i` of the account key m/44'/60'/0'. The private key stays elsewhere. */
export interface DepositOptions {
  /** Extended public key of the account. */
  readonly xpub: string;
}
