import type { Instant } from '@gateramp/core/domain';
import type { LegsStore } from '@gateramp/provider-legs';
import type { Address, LocalAccount, Transport } from 'viem';

import type { EvmNetwork } from './networks.js';

/** What an `evmChain` is made of. */
export interface EvmChainOptions {
  readonly networks: readonly EvmNetworkOptions[];
  readonly wallet: HotWalletOptions;
  /** Without it the chain has no deposit addresses and sells only. */
  readonly deposits?: DepositOptions;
  readonly store: LegsStore;
  /** Receives every condition that needs an operator. It must not throw. */
  readonly alarm?: AlarmSink;
  /** Name of the leg; `evm` by default. */
  readonly name?: string;
  /** Milliseconds since 1970; the system clock by default. */
  readonly now?: () => Instant;
}

/** A condition that needs an operator: a name and what it is about. Never a key. */
export type AlarmSink = (name: AlarmName, fields: Readonly<Record<string, string | number>>) => void;

/** Every alarm of this leg. */
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

/** A network with the connection to it. */
export interface EvmNetworkOptions extends EvmNetwork {
  /** Of viem: `http(url)`, `fallback([…])`, `custom(provider)`. */
  readonly transport: Transport;
  /** A second, independent RPC. The reconciler compares what was credited with what it shows. */
  readonly reconcileTransport?: Transport;
  /** Above this price of gas nothing is signed, in gwei; no ceiling by default. */
  readonly gasCeilingGwei?: string;
  /** One RPC call may take this long; 10 s by default. */
  readonly rpcTimeoutMs?: number;
  /** A pending transaction gets a higher fee after this long; 30 s by default. */
  readonly bumpAfterMs?: number;
  /** Sends with a nonce that are not in a block yet; more wait for a nonce. 64 by default. */
  readonly inFlightMax?: number;
}

/** The wallet that sends. Amounts are decimal text in whole tokens, by asset. */
export interface HotWalletOptions {
  /** `privateKeyToAccount(key)`, or `toAccount({…})` of viem around a key service. It signs transactions and nothing else. */
  readonly account: LocalAccount;
  /** When given, an account with another address is refused at once. */
  readonly address?: Address;
  readonly maxPerSend?: Readonly<Record<string, string>>;
  /** Per network and UTC day. */
  readonly maxPerDay?: Readonly<Record<string, string>>;
  /** Below it the alarm `wallet_below_floor` is raised. */
  readonly floor?: Readonly<Record<string, string>>;
}

/** Deposit addresses are children `0/i` of the account key m/44'/60'/0'. The private key stays elsewhere. */
export interface DepositOptions {
  /** Extended public key of the account. */
  readonly xpub: string;
}
