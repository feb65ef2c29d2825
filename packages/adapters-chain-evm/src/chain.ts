import type { ChainLeg, ChainNetwork, SendResult } from '@gateramp/provider-legs';

import { alarmsTo } from './alarms.js';
import { addressProblem, assetsOf } from './assets.js';
import { unavailableBecause } from './availability.js';
import { limitUnits } from './dispatch.js';
import { documentsOf } from './documents.js';
import type { EvmChainOptions, EvmNetworkOptions } from './options.js';
import { placeOf } from './place.js';
import { lookupStored, sendsOn } from './sends.js';
import { type Loop, loopOf } from './loop.js';
import { walletOn, type WalletSummary } from './wallets.js';
import { walletViewOf } from './wallet-view.js';

/** The chain leg with its background work and what operators do with it. */
export interface EvmChain extends ChainLeg {
  /** Begins to follow sends and deposits. Several processes may do so on one store. */
  start(): void;
  /** Ends the background work; resolves when the last round is done. */
  stop(): Promise<void>;
  /** One round of the background work, for tests and hosts with their own timers. */
  work(): Promise<void>;
  wallets(): Promise<readonly WalletSummary[]>;
  /** Nothing is signed on the network until it is resumed. */
  pauseWallet(network: string, reason: string): Promise<void>;
  resumeWallet(network: string): Promise<void>;
  /**
   * Replaces a send that is not in a block by a transfer of nothing with the same nonce. Either may win; the send ends
   * `confirmed` or `refused`. Null when there is no such send.
   */
  cancelSend(callId: string): Promise<SendResult | null>;
  /** Per network, for gauges: blocks, and how its RPC answers. */
  gauges(): readonly ChainGauges[];
}

/** Figures of one network. */
export interface ChainGauges {
  readonly network: string;
  /** Null before the first answer. */
  readonly head: number | null;
  readonly finalized: number | null;
  readonly lastAnswerAt: number | null;
  /** RPC calls without an answer since the start. */
  readonly outages: number;
}

/** Sends of one network that one round takes. */
const SENDS_PER_ROUND = 50;
/** A process that died leaves its sends to another after this long. */
const LEASE_MS = 30_000;

/**
 * A chain leg over EVM networks and one hot wallet. Takes live transports and plain options; call `start()` in at least
 * one process. Throws for options that contradict themselves.
 */
export function evmChain(options: EvmChainOptions): EvmChain {
  const now = options.now ?? Date.now;
  const shared = { documents: documentsOf(options.store), alarms: alarmsTo(options.alarm ?? (() => undefined)), now };
  checkOptions(options);
  const networks = options.networks.map((network) => {
    const place = placeOf(network, options, shared);
    const views = walletViewOf(place);
    return { place, views, sends: sendsOn(place, views), wallet: walletOn(place, views) };
  });
  const places = networks.map(({ place }) => place);

  function on(network: string) {
    const found = networks.find(({ place }) => place.network.network === network);
    if (found === undefined) throw new Error(`Network ${network} is not configured.`);
    return found;
  }

  async function followSends(): Promise<void> {
    const due = await shared.documents.claimDue('evm_send', now(), LEASE_MS, SENDS_PER_ROUND);
    await Promise.all(due.map((doc) => on(doc.body.network).sends.progress(doc)));
  }

  const failed = (error: unknown) =>
    shared.alarms.raise('worker_failed', { reason: error instanceof Error ? error.message : String(error) });
  const loops: Loop[] = [
    loopOf(followSends, { everyMs: Math.min(...options.networks.map(({ pollMs }) => pollMs)), failed }),
  ];

  return {
    name: options.name ?? 'evm',
    networks: options.networks.map(shownNetwork),
    unavailable: (network, asset) => {
      const { place, views } = on(network);
      return unavailableBecause(place, views, asset ?? null);
    },
    addressProblem: (network, address) => {
      const { place } = on(network);
      return addressProblem(place.network, place.address, address);
    },
    depositAddress: () => Promise.reject(new Error('Deposits are not configured.')),
    deposits: () => Promise.resolve([]),
    send: (order) => on(order.network).sends.send(order),
    lookupSend: (call) => lookupStored(places, call),

    start: () => loops.forEach((loop) => loop.start()),
    stop: async () => void (await Promise.all(loops.map((loop) => loop.stop()))),
    work: async () => {
      for (const loop of loops) await loop.once();
    },
    wallets: () => Promise.all(networks.map(({ wallet }) => wallet.summary())),
    pauseWallet: (network, reason) => on(network).wallet.pause(reason),
    resumeWallet: (network) => on(network).wallet.resume(),
    async cancelSend(callId) {
      const stored = await shared.documents.load('evm_send', callId);
      return stored === null ? null : on(stored.body.network).sends.cancel(callId);
    },
    gauges: () =>
      networks.map(({ place, views }) => ({
        network: place.network.network,
        head: views.last()?.head.number ?? null,
        finalized: views.last()?.finalized ?? null,
        lastAnswerAt: place.rpc.lastAnswerAt(),
        outages: place.rpc.outages(),
      })),
  };
}

function checkOptions({ networks, wallet }: EvmChainOptions): void {
  const { account, address } = wallet;
  if (address !== undefined && address.toLowerCase() !== account.address.toLowerCase())
    throw new Error(`The wallet's key is for ${account.address}, and ${address} is configured.`);
  const names = networks.map(({ network }) => network);
  if (names.length === 0) throw new Error('Configure at least one network.');
  if (new Set(names).size < names.length) throw new Error('Each network may be configured once.');
  if (new Set(networks.map(({ chainId }) => chainId)).size < names.length)
    throw new Error('Two networks have the same chain id.');
  for (const network of networks) checkNetwork(network, wallet);
}

function checkNetwork(network: EvmNetworkOptions, { maxPerSend, maxPerDay, floor }: EvmChainOptions['wallet']): void {
  if (!(network.confirmations >= 1)) throw new Error(`${network.network}: confirmations must be at least 1.`);
  const assets = assetsOf(network);
  if (new Set(assets.map(({ asset }) => asset)).size < assets.length)
    throw new Error(`${network.network}: two tokens have the same asset.`);
  // Throws for what is not an amount.
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
    })),
    confirmations: network.confirmations,
    txUrl: network.txUrl,
  };
}
