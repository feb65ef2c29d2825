import type { Instant } from '@gateramp/core/domain';
import type { Address } from 'viem';

import type { AddressBook } from './address-book.js';
import { type Alarms } from './alarms.js';
import { type GroupedAlarms, groupedAlarms } from './grouped-alarms.js';
import { type Asset, assetsOf } from './assets.js';
import type { Documents } from './documents.js';
import type { EvmChainOptions, EvmNetworkOptions, HotWalletOptions } from './options.js';
import { type Rpc, rpcOf } from './rpc.js';

/** One network, with its connection and the wallet on it. */
export interface Place {
  readonly network: EvmNetworkOptions;
  readonly assets: readonly Asset[];
  readonly rpc: Rpc;
  readonly wallet: HotWalletOptions;
  readonly address: Address;
  /** The wallet and the accounts of the operator, in lower case. */
  readonly ownAddresses: ReadonlySet<string>;
  /** The id of the wallet's document. */
  readonly walletId: string;
  readonly documents: Documents;
  /** The deposit addresses of all networks; null when there are none. */
  readonly book: AddressBook | null;
  readonly alarms: Alarms;
  readonly worth: EvmChainOptions['worth'];
  /** For conditions that strangers can cause, so that many of them raise one alarm. */
  readonly grouped: GroupedAlarms;
  readonly now: () => Instant;
}

/** Combines the options and connection of one network. */
export function placeOf(
  network: EvmNetworkOptions,
  { wallet, deposits }: Pick<EvmChainOptions, 'wallet' | 'deposits'>,
  shared: Pick<Place, 'documents' | 'book' | 'alarms' | 'now' | 'worth'>,
): Place {
  const { address } = wallet.account;
  return {
    ...shared,
    grouped: groupedAlarms(shared),
    network,
    assets: assetsOf(network),
    rpc: rpcOf(network.transport, { timeoutMs: network.rpcTimeoutMs ?? RPC_TIMEOUT_MS, now: shared.now }),
    wallet,
    address,
    ownAddresses: new Set([address, ...(deposits?.ownAddresses ?? [])].map((one) => one.toLowerCase())),
    walletId: `${network.chainId}:${address.toLowerCase()}`,
  };
}

/** The default time limit of an RPC call. */
export const RPC_TIMEOUT_MS = 10_000;
