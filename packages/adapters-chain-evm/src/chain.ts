import type {
  AuditedCommit,
  ChainLeg,
  ChainNetwork,
  Deposit,
  LedgerPosition,
  LegCall,
  LegDocument,
  SendResult,
} from '@gateramp/provider-legs';
import { formatUnits } from 'viem';

import { type AddressBook, addressBookOf } from './address-book.js';
import { alarmsTo } from './alarms.js';
import { addressProblem, assetsOf } from './assets.js';
import { unavailableBecause } from './availability.js';
import { comparisonOn } from './compare.js';
import { depositKeysOf } from './deposit-addresses.js';
import { type ArrivedAtAddress, depositsOn } from './deposits.js';
import { documentsOf } from './documents.js';
import { type ChainGauges, gaugesOf } from './gauges.js';
import { NATIVE_DECIMALS } from './networks.js';
import type { EvmChainOptions, EvmNetworkOptions } from './options.js';
import { type Place, placeOf, RPC_TIMEOUT_MS } from './place.js';
import { DEPOSIT_ADDRESS } from './order.js';
import { positionsOn } from './position.js';
import { reconcilerOn } from './reconciler.js';
import { LogsRefusedError, RpcOutageError, rpcOf } from './rpc.js';
import { lookupStored, sendsOn } from './sends.js';
import { limitUnits } from './spending.js';
import { type Loop, loopOf } from './loop.js';
import { walletOn, type WalletSummary } from './wallets.js';
import { sweepBooksOf } from './sweep-books.js';
import { bookWallet } from './wallet-books.js';
import { watchRound } from './watcher.js';
import { walletViewOf } from './wallet-view.js';

/** The chain leg, with its background work and the operations for operators. */
export interface EvmChain extends ChainLeg {
  /** Starts to follow sends and deposits. Several processes may do so on one store. */
  start(): void;
  /** Stops the background work; resolves when the last round is done. */
  stop(): Promise<void>;
  /** Runs one round of the background work, for tests and for hosts with their own timers. */
  work(): Promise<void>;
  wallets(): Promise<readonly WalletSummary[]>;
  /** Stops signing on the network until the wallet is resumed. `audited` records that in the audit trail, in the same commit. */
  pauseWallet(network: string, reason: string, audited?: AuditedCommit): Promise<void>;
  resumeWallet(network: string, reason: string, audited?: AuditedCommit): Promise<void>;
  /** The state of the send with this call id; null when there is none. Changes nothing. */
  lookupSend(call: LegCall): Promise<SendResult | null>;
  /** What the chain says about the balances of the ledger, for each token. Makes no RPC call. */
  positions(): Promise<readonly LedgerPosition[]>;
  /** Every deposit address with what arrived at it, for operators. */
  arrivedDeposits(): Promise<readonly ArrivedAtAddress[]>;
  /** Unattributed amounts of an address as deposits: the document to commit, and the deposits. Changes nothing yet. */
  attributedDeposits(
    call: LegCall & { readonly network: string },
    assets: readonly string[],
  ): Promise<{ readonly documents: readonly LegDocument[]; readonly deposits: readonly Deposit[] }>;
  /** Figures of each network for monitoring. Waits at most 2 s for an RPC. */
  gauges(): Promise<readonly ChainGauges[]>;
}

/** The maximum number of sends, over all networks, in one round. */
const SENDS_PER_ROUND = 50;
/** Another process takes over the sends of one that died after this time. */
const LEASE_MS = 30_000;
const RECONCILE_MS = 60_000;
/** Refused so often in a row, it is not a node that lags behind. */
const REFUSALS_MIN = 3;
/** The usual gas of one send. */
const GAS = { native: 21_000n, token: 65_000n };

/**
 * A chain leg over EVM networks and one hot wallet. Takes live transports and plain options; call `start()` in at least
 * one process. Throws for invalid or contradictory options.
 */
export function evmChain(options: EvmChainOptions): EvmChain {
  const now = options.now ?? (() => Date.now());
  const ignored = () => undefined;
  const alarms = alarmsTo(options.alarm ?? ignored, { cleared: options.cleared ?? ignored, now });
  checkOptions(options);
  const documents = documentsOf(options.store);
  const book = options.deposits === undefined ? null : addressBookOf(documents, depositKeysOf(options.deposits.xpub));
  const shared = { documents, book, alarms, now, worth: options.worth };
  const networks = options.networks.map((network) => {
    const place = placeOf(network, options, shared);
    const views = walletViewOf(place);
    const sends = sendsOn(place, views);
    return {
      place,
      views,
      sends,
      wallet: walletOn(place, { views, explain: () => sends.explain() }),
      deposits: book === null ? null : depositsOn(place, book),
      bookSweeps: sweepBooksOf(place),
      comparison: book === null ? null : comparisonOn(place, book),
      reconciler: book === null ? null : reconcilerOf(place, book),
    };
  });
  const places = networks.map(({ place }) => place);

  function reconcilerOf(place: Place, addresses: AddressBook) {
    const { reconcileTransport, rpcTimeoutMs } = place.network;
    if (reconcileTransport === undefined) return null;
    const rpc = rpcOf(reconcileTransport, { timeoutMs: rpcTimeoutMs ?? RPC_TIMEOUT_MS, now });
    return reconcilerOn(place, rpc, addresses);
  }

  function on(network: string) {
    const found = networks.find(({ place }) => place.network.network === network);
    if (found === undefined) throw new Error(`Network ${network} is not configured.`);
    return found;
  }

  async function followSends(): Promise<void> {
    const due = await shared.documents.claimDue('evm_send', now(), LEASE_MS, SENDS_PER_ROUND);
    // A send of a network that is no longer configured must not hold up the others.
    await settleAll(due, (doc) => on(doc.body.network).sends.progress(doc));
  }

  /** Rounds in a row whose requests for logs were refused. */
  const refusals = new Map<string, number>();

  async function watchDeposits(): Promise<void> {
    if (book === null) return;
    const due = await shared.documents.claimDue('evm_cursor', now(), LEASE_MS, networks.length);
    await settleAll(due, async (cursor) => {
      const { place, comparison } = on(cursor.id);
      const { network } = place.network;
      if (await withLogs(network, 'watcher', () => watchRound(place, book, cursor))) {
        const compared = await comparison?.round().catch((error: unknown) => error);
        const isFailed = compared !== undefined && !(compared instanceof RpcOutageError);
        shared.alarms.hold(isFailed, 'worker_failed', { network, reason: String(compared), call: 'comparison' });
        return;
      }
      // The round had no result: retry after the poll interval instead of the lease.
      await shared.documents.commit({ kind: 'evm_cursor', next: { ...cursor, dueAt: now() + place.network.pollMs } });
    });
  }

  /** Runs work that reads logs. False when it returned false, or ended with an outage or with a refusal, which raises the alarm. */
  async function withLogs(network: string, reader: string, work: () => Promise<boolean | void>): Promise<boolean> {
    const refusal = { network, call: reader };
    const key = [network, reader].join(' ');
    try {
      const isDone = await ignoringOutage(work);
      if (!isDone) return false;
      refusals.delete(key);
      shared.alarms.hold(false, 'logs_refused', refusal);
      return true;
    } catch (error) {
      if (!(error instanceof LogsRefusedError)) throw error;
      const times = (refusals.get(key) ?? 0) + 1;
      refusals.set(key, times);
      shared.alarms.hold(times >= REFUSALS_MIN, 'logs_refused', { ...refusal, reason: error.message });
      return false;
    }
  }

  /** Waits for all of them and reports those that failed. */
  async function settleAll<Item>(items: readonly Item[], work: (item: Item) => Promise<unknown>): Promise<void> {
    const results = await Promise.allSettled(items.map(async (item) => work(item)));
    for (const result of results) if (result.status === 'rejected') failed(result.reason);
  }

  async function reconcileDeposits(): Promise<void> {
    if (book === null) return;
    await settleAll(networks, async ({ place, reconciler }) => {
      if (reconciler !== null) await withLogs(place.network.network, 'reconciler', () => reconciler.round());
    });
  }

  async function bookWallets(): Promise<void> {
    await settleAll(networks, async ({ place, bookSweeps }) => {
      await ignoringOutage(() => bookWallet(place));
      await ignoringOutage(bookSweeps);
    });
  }

  const failed = (error: unknown) =>
    shared.alarms.raise('worker_failed', { reason: error instanceof Error ? error.message : String(error) });
  const pollMs = Math.min(...options.networks.map((network) => network.pollMs));
  const loops: Loop[] = [
    loopOf(followSends, { everyMs: pollMs, failed }),
    loopOf(watchDeposits, { everyMs: pollMs, failed }),
    loopOf(reconcileDeposits, { everyMs: RECONCILE_MS, failed }),
    loopOf(bookWallets, { everyMs: RECONCILE_MS, failed }),
  ];

  return {
    contract: 2,
    name: options.name ?? 'evm',
    networks: options.networks.map(shownNetwork),
    unavailable: (network, use) => {
      const { place, views } = on(network);
      return unavailableBecause(place, views, use);
    },
    async deliverable(network, name) {
      const { sends } = on(network);
      const asset = sends.assetOf(name);
      return asset === undefined ? '0' : sends.reservations.deliverable(asset);
    },
    reserve: (order) => on(order.network).sends.reserve(order),
    release: (call) => on(call.network).sends.reservations.release(call),
    addressProblem: (network, address) => {
      const { place } = on(network);
      if (book !== null && book.ownerOf(address) !== null) return DEPOSIT_ADDRESS;
      return addressProblem(place.network, place.address, address);
    },
    async depositAddress(call) {
      const { deposits } = on(call.network);
      if (deposits === null)
        throw new Error('Deposits are not configured: pass `deposits` with an extended public key.');
      return deposits.address(call);
    },
    deposits: async (call) => (await on(call.network).deposits?.list(call)) ?? [],
    send: (order) => on(order.network).sends.send(order),
    sendCost: async (network, asset) => {
      const { place } = on(network);
      const gas = asset === place.network.native ? GAS.native : GAS.token;
      const amount = formatUnits((await place.rpc.gasPrice()) * gas, NATIVE_DECIMALS);
      return { asset: place.network.native, network, amount };
    },
    cancelSend: (order) => on(order.network).sends.cancel(order),
    lookupSend: (call) => lookupStored(places, call),

    start: () => loops.forEach((loop) => loop.start()),
    stop: async () => void (await Promise.all(loops.map((loop) => loop.stop()))),
    work: async () => {
      for (const loop of loops) await loop.once();
    },
    wallets: () => Promise.all(networks.map(({ wallet }) => wallet.summary())),
    pauseWallet: (network, reason, audited) => on(network).wallet.pause(reason, audited),
    resumeWallet: (network, reason, audited) => on(network).wallet.resume(reason, audited),
    positions: async () => (await Promise.all(places.map(positionsOn))).flat(),
    async arrivedDeposits() {
      // So that `addressProblem` knows these addresses, also in a process that watches nothing.
      await book?.refresh();
      return (await Promise.all(networks.map(({ deposits }) => Promise.resolve(deposits?.arrived() ?? [])))).flat();
    },
    attributedDeposits: async ({ callId, network }, assets) =>
      (await on(network).deposits?.attributed(callId, assets, now())) ?? { documents: [], deposits: [] },
    gauges: () => Promise.all(networks.map(({ place, views }) => gaugesOf(place, views))),
  };
}

/** Runs the work. False when it returned false or ended with an RPC outage. */
async function ignoringOutage(work: () => Promise<boolean | void>): Promise<boolean> {
  try {
    return (await work()) !== false;
  } catch (error) {
    if (error instanceof RpcOutageError) return false;
    throw error;
  }
}

function checkOptions({ networks, wallet }: EvmChainOptions): void {
  const { account, address } = wallet;
  if (address !== undefined && address.toLowerCase() !== account.address.toLowerCase())
    throw new Error(`The wallet's key belongs to ${account.address}, but the configured address is ${address}.`);
  const names = networks.map(({ network }) => network);
  if (names.length === 0) throw new Error('Configure at least one network.');
  if (new Set(names).size < names.length) throw new Error('Configure each network only once.');
  if (new Set(networks.map(({ chainId }) => chainId)).size < names.length)
    throw new Error('Two networks have the same chain id.');
  for (const network of networks) checkNetwork(network, wallet);
}

function checkNetwork(network: EvmNetworkOptions, { maxPerSend, maxPerDay, floor }: EvmChainOptions['wallet']): void {
  const { feeMultipleMax = 1, feeShareMaxBps = 1, headMaxAgeMs = 1 } = network;
  if (!(feeMultipleMax >= 1)) throw new Error(`${network.network}: feeMultipleMax must be at least 1.`);
  if (!(feeShareMaxBps >= 1) || !Number.isInteger(feeShareMaxBps))
    throw new Error(`${network.network}: feeShareMaxBps must be a whole number above 0.`);
  if (!(headMaxAgeMs > 0)) throw new Error(`${network.network}: headMaxAgeMs must be above 0.`);
  if (!(network.confirmations >= 1)) throw new Error(`${network.network}: confirmations must be at least 1.`);
  const assets = assetsOf(network);
  if (new Set(assets.map(({ asset }) => asset)).size < assets.length)
    throw new Error(`${network.network}: two tokens have the same asset.`);
  // `limitUnits` throws for invalid amounts.
  for (const asset of assets) for (const limits of [maxPerSend, maxPerDay, floor]) limitUnits(limits, asset);
}

function shownNetwork(network: EvmNetworkOptions): ChainNetwork {
  return {
    network: network.network,
    displayName: network.displayName,
    addressFormat: 'evm',
    assets: assetsOf(network).map(({ asset, decimals }) => ({
      asset,
      decimals,
      networkFee: network.networkFees?.[asset] ?? {},
      ...(network.minReturns?.[asset] === undefined ? {} : { minReturn: network.minReturns[asset] }),
    })),
    confirmations: network.confirmations,
    txUrl: network.txUrl,
  };
}
