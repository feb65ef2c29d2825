import type { Instant } from '@gateramp/core/domain';
import type { AlarmMeaning } from '@gateramp/core/ports';
import type { LegsStore, TokenAmount } from '@gateramp/provider-legs';
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
  /** Receives the end of each lasting condition, with the `count` of times that it was found. Must not throw. */
  readonly cleared?: AlarmSink;
  /**
   * The value of an amount in the network's native coin, as decimal text; null when it has no price. It limits the gas for a token to a
   * share of its value. Without it, only sends of the native coin have that limit.
   */
  readonly worth?: (amount: TokenAmount, native: string) => Promise<string | null>;
  /** Name of the leg; `evm` by default. */
  readonly name?: string;
  /** Milliseconds since 1970; the system clock by default. */
  readonly now?: () => Instant;
}

/** Receives a condition that needs an operator. The fields never contain a key. */
export type AlarmSink = (name: AlarmName, fields: Readonly<Record<string, string | number>>) => void;

/** The alarms of this leg. */
export const ALARMS = {
  rpc_silent: {
    severity: 'warning',
    meaning:
      'EVM chain: an RPC does not answer. Check that it is reachable. Its flows are unavailable until it answers; payments in progress then continue',
  },
  chain_id_mismatch: {
    severity: 'critical',
    meaning:
      'EVM chain: the RPC serves a chain other than `chain_id`. Correct the URL or the legs file. Nothing is sent until then',
  },
  token_decimals_mismatch: {
    severity: 'warning',
    meaning:
      'EVM chain: the decimals of a token differ from the legs file. Correct the file. The token is unavailable until then',
  },
  token_fee_on_transfer: {
    severity: 'critical',
    meaning:
      'EVM chain: a token charges a fee on each transfer. Remove it from the legs file: buyers would receive less than promised. A deposit counts with what arrived',
  },
  token_transfer_reverts: {
    severity: 'warning',
    meaning:
      'EVM chain: a token refuses transfers from the wallet. Check whether the issuer blocked the wallet or paused the token',
  },
  wallet_unfunded: {
    severity: 'critical',
    meaning:
      'EVM chain: the wallet cannot pay for a send or its gas. Fund the address in the log. Purchases are refused until then',
  },
  wallet_below_floor: {
    severity: 'warning',
    meaning: 'EVM chain: the wallet holds less than `floor`, so nothing is sold of that asset. Fund it',
  },
  wallet_limit_reached: {
    severity: 'warning',
    meaning:
      'EVM chain: a send exceeds `max_per_send`, or the total of the day `max_per_day`. Raise the limit, or wait for the next UTC day',
  },
  wallet_paused: {
    severity: 'warning',
    meaning: 'EVM chain: an operator paused the wallet. Resume it when the reason is gone',
  },
  chain_halted: {
    severity: 'critical',
    meaning:
      'EVM chain: the newest block is old. Check the RPC and the status of the network. Nothing is sold or signed on it until a new block',
  },
  fee_bound: {
    severity: 'warning',
    meaning:
      'EVM chain: the gas of a send costs more than its bound allows. It waits until gas is cheaper. To pay more, raise `fee_multiple_max` or `fee_share_max_bps`',
  },
  gas_ceiling: {
    severity: 'warning',
    meaning: 'EVM chain: the price of gas exceeds the ceiling. Sends wait until it falls',
  },
  nonce_conflict: {
    severity: 'critical',
    meaning:
      'EVM chain: the chain has a transaction of the wallet that belongs to no send. The log has what it paid. After a restore, it is usually a send that the backup does not know; otherwise find out who else has the key. Then run `gate wallets resume`',
  },
  send_reverted: {
    severity: 'warning',
    meaning: 'EVM chain: the network reverted a transfer. The buyer is refunded. Inspect the transaction',
  },
  send_reorged: {
    severity: 'warning',
    meaning:
      'EVM chain: a reorganization removed a confirmed send. It is delivered again with the same nonce. If this recurs, raise `confirmations`',
  },
  send_without_transfer: {
    severity: 'critical',
    meaning:
      'EVM chain: a send was mined, and its receiver got less than the amount. The token is not sold until `gate wallets resume`. Inspect the transaction, then run `gate operations resolve`',
  },
  deposit_reorged: {
    severity: 'critical',
    meaning:
      'EVM chain: a reorganization removed a credited deposit, so the payment may have been delivered without one. Raise `deposit_confirmations`',
  },
  deposit_missed: {
    severity: 'critical',
    meaning:
      'EVM chain: the second RPC or the balance of a deposit address shows a deposit that was not credited. Compare both RPCs; the first may be withholding logs. `gate deposits list` shows the amount',
  },
  deposit_not_found: {
    severity: 'critical',
    meaning: 'EVM chain: the second RPC does not show a credited deposit. Compare both RPCs before the next payout',
  },
  unattributed_deposit: {
    severity: 'warning',
    meaning:
      'EVM chain: tokens arrived that belong to no operation, such as on another network than its own. The log has the first transfer and their count. Find the sender; `gate deposits list` shows what arrived on the right network. Nothing is returned automatically',
  },
  deposit_unclaimed: {
    severity: 'warning',
    meaning:
      'EVM chain: a deposit arrived after its operation was watched for deposits, so it is neither booked nor returned. Run `gate deposits list`, then `gate deposits credit` or `gate deposits return`',
  },
  logs_refused: {
    severity: 'critical',
    meaning:
      'EVM chain: an RPC refuses even the smallest request for logs, so deposits of tokens are not seen, or not compared. The log has its reason. Use another RPC or plan; what arrived is credited then',
  },
  reconciler_behind: {
    severity: 'warning',
    meaning:
      'EVM chain: the comparison with the second RPC has been behind for ten minutes. Check that it answers, and that it serves logs of enough blocks at a time',
  },
  deep_reorg: {
    severity: 'critical',
    meaning:
      'EVM chain: a reorganization is deeper than the stored history. Check the deposits of the last hour manually',
  },
  worker_failed: {
    severity: 'warning',
    meaning: 'EVM chain: background work of a network failed and is retried. The log has the error',
  },
} as const satisfies Readonly<Record<string, AlarmMeaning>>;

/** The name of an alarm in `ALARMS`. */
export type AlarmName = keyof typeof ALARMS;

/** A network, with its connection and limits. */
export interface EvmNetworkOptions extends EvmNetwork {
  /** A transport of viem: `http(url)`, `fallback([…])`, `custom(provider)`. */
  readonly transport: Transport;
  /** A second, independent RPC, with which the reconciler compares the credited deposits. */
  readonly reconcileTransport?: Transport;
  /** Nothing is signed above this gas price in gwei; no ceiling by default. */
  readonly gasCeilingGwei?: string;
  /** The most that gas may cost, as a multiple of the highest price in the newest 20 blocks; 10 by default. */
  readonly feeMultipleMax?: number;
  /** The most that the gas of a send may cost, as a share of the value sent in basis points; 5,000 by default. */
  readonly feeShareMaxBps?: number;
  /** The network is unavailable while its newest block is older than this; 5 minutes by default. */
  readonly headMaxAgeMs?: number;
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
  /**
   * What deliveries leave in the wallet: nothing below it is quoted or reserved. Gas and returns of deposits may use it. The alarm
   * `wallet_below_floor` is raised at a balance below it.
   */
  readonly floor?: Readonly<Record<string, string>>;
}

/** The key of the deposit addresses, which are children `0/i` of the account key m/44'/60'/0'. The private key stays elsewhere. */
export interface DepositOptions {
  /** Extended public key of the account. */
  readonly xpub: string;
  /** Accounts of the operator, such as one that pays for sweeps. What they send to a deposit address is not the buyer's. */
  readonly ownAddresses?: readonly Address[];
}
