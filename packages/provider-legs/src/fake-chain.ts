import { createHash } from 'node:crypto';
import { decimal, type Instant } from '@gateramp/core/domain';
import type { ChainLeg, ChainNetwork, Deposit, LegRefused, SendOrder, SendResult, TokenAmount } from './ports/legs.js';

/** The networks of `fakeChain` and the time between its blocks. */
export interface FakeChainOptions {
  readonly networks?: readonly ChainNetwork[];
  /** Time between two blocks. 1 s by default. */
  readonly blockMs?: number;
}

/** A chain leg together with its simulated chain, whose state outlives the processes that call the leg. */
export interface FakeChain extends ChainLeg {
  /** The sends that were not cancelled, by call id. */
  readonly sends: ReadonlyMap<string, SendOrder>;
  /** The hash of a send, which never changes. */
  hashOf(callId: string): string;
  /** Pays an amount to an address, in the next block after `at`. */
  pay(to: string, amount: TokenAmount, at: Instant): void;
  /** The transfers to an address that are in a block at `now`, oldest first. */
  received(to: string, now: Instant): readonly TokenAmount[];
  /** Replaces the newest blocks by empty ones. Transfers of the wallet are in the next block again; other payments are lost. */
  reorganize(blocks: number, now: Instant): void;
  /** The reason for an outage of deliveries; null without an outage. */
  down: string | null;
  /** What the wallet holds, as decimal text by `ASSET@network`; an asset that is missing has no bound. */
  readonly stock: Map<string, string>;
  /** The reservations that no send has used and that were not given back, by call id. */
  readonly reservations: ReadonlyMap<string, SendOrder>;
  /** While true, sends and cancellations throw, so that their results are unknown. */
  isSilent: boolean;
  /** While true, new sends are refused. */
  isRefusing: boolean;
  /** While true, sends in a block have arrived in part. */
  isShort: boolean;
}

const NETWORK: ChainNetwork = {
  network: 'base',
  displayName: 'Base',
  addressFormat: 'evm',
  confirmations: 2,
  txUrl: 'https://explorer.example/tx/{hash}',
  assets: [
    { asset: 'USDC', decimals: 6, networkFee: { EUR: '0.05' } },
    { asset: 'ETH', decimals: 8, networkFee: { EUR: '0.10' }, minReturn: '0.0001' },
  ],
};

/** A broadcast transfer. Its block is known in advance, since blocks depend on time alone. */
interface Transfer extends TokenAmount {
  readonly hash: string;
  readonly to: string;
  readonly block: number;
}

/**
 * A deterministic chain without a network, for tests and simulations. The time of the calls determines the current block, and a transfer
 * is in the first block after it was sent. It obeys the same laws as `evmChain` over a node (`chainLegLaws` of the conformance kit).
 */
export function fakeChain({ networks = [NETWORK], blockMs = 1_000 }: FakeChainOptions = {}): FakeChain {
  const orders = new Map<string, SendOrder>();
  const sent = new Map<string, Transfer>();
  const cancelled = new Set<string>();
  const reserved = new Map<string, SendOrder>();
  const released = new Set<string>();
  const stock = new Map<string, string>();
  let payments: readonly Transfer[] = [];
  /** The latest time of any call: the chain never goes back in time. */
  let latest: Instant = 0;

  const headAt = (now: Instant) => Math.floor((latest = Math.max(latest, now)) / blockMs);
  const depthOf = ({ block }: Transfer, now: Instant) => Math.max(0, headAt(now) - block + 1);
  const networkOf = (name: string) => networks.find(({ network }) => network === name);
  const requiredOn = (name: string) => networkOf(name)?.confirmations ?? 1;

  function sendState(transfer: Transfer, now: Instant): SendResult {
    const required = requiredOn(transfer.network);
    const seen = Math.min(required, depthOf(transfer, now));
    if (chain.isShort && seen >= required) {
      const problem = 'A part of the transfer arrived.';
      return { kind: 'sending', hash: transfer.hash, seen: required - 1, required, checkAfterMs: blockMs, problem };
    }
    const kind = seen >= required ? 'confirmed' : 'sending';
    return { kind, hash: transfer.hash, seen, required, checkAfterMs: blockMs };
  }

  function problemOf({ network, asset, amount, to }: SendOrder): string | null {
    const served = networkOf(network)?.assets.find((one) => one.asset === asset);
    if (served === undefined) return `${asset} is not served on ${network}.`;
    const [, fraction = ''] = /^\d+(?:\.(\d+))?$/.exec(amount) ?? [null, null];
    if (fraction === null || fraction.length > served.decimals || !decimal.isPositive(amount))
      return `${amount} is not an amount of ${asset}.`;
    return addressProblem(to);
  }

  function openReservations(): ReadonlyMap<string, SendOrder> {
    return new Map([...reserved].filter(([callId]) => !sent.has(callId)));
  }

  /** What is in stock, less the sends and the open reservations. */
  function leftOf(network: string, asset: string): string | null {
    const held = stock.get(`${asset}@${network}`);
    if (held === undefined) return null;
    return [...orders.values(), ...openReservations().values()]
      .filter((one) => one.network === network && one.asset === asset)
      .reduce((left, { amount }) => decimal.subtract(left, amount), held);
  }

  const chain: FakeChain = {
    contract: 2,
    name: 'fake',
    networks,
    sends: orders,
    stock,
    get reservations() {
      return openReservations();
    },
    down: null,
    isSilent: false,
    isRefusing: false,
    isShort: false,
    hashOf: (callId) => hashOf('send', callId),

    pay(to, { asset, network, amount }, at) {
      const hash = hashOf('payment', String(payments.length));
      payments = [...payments, { hash, to, asset, network, amount, block: Math.floor(at / blockMs) + 1 }];
    },

    received(to, now) {
      return [...payments, ...sent.values()]
        .filter((one) => isSame(one.to, to) && depthOf(one, now) > 0)
        .toSorted((a, b) => a.block - b.block)
        .map(({ asset, network, amount }) => ({ asset, network, amount }));
    },

    reorganize(blocks, now) {
      const head = headAt(now);
      const isReplaced = ({ block }: Transfer) => block > head - blocks && block <= head;
      payments = payments.filter((one) => !isReplaced(one));
      for (const [callId, transfer] of sent)
        if (isReplaced(transfer)) sent.set(callId, { ...transfer, block: head + 1 });
    },

    unavailable: async () => chain.down,
    deliverable: async (network, asset) => leftOf(network, asset),

    async reserve(order) {
      if (chain.isSilent) throw new Error('The network does not answer.');
      if (reserved.has(order.callId) || sent.has(order.callId)) return { kind: 'reserved' };
      if (released.has(order.callId)) return refused('The reservation was released.');
      const problem = problemOf(order);
      if (problem !== null) return refused(problem);
      const left = leftOf(order.network, order.asset);
      if (left !== null && decimal.compare(order.amount, left) > 0)
        return refused(`The amount is above what can be delivered now.`, 'limit_exceeded');
      reserved.set(order.callId, order);
      return { kind: 'reserved' };
    },

    async release({ callId }) {
      if (chain.isSilent) throw new Error('The network does not answer.');
      released.add(callId);
      reserved.delete(callId);
    },
    addressProblem: (_, address) => addressProblem(address),
    depositAddress: async ({ callId }) => ({ address: depositAddressOf(callId), memo: null }),

    async deposits({ callId, network, now }) {
      const required = requiredOn(network);
      return payments
        .filter((one) => isSame(one.to, depositAddressOf(callId)) && depthOf(one, now) > 0)
        .toSorted((a, b) => a.block - b.block)
        .map(({ hash, asset, network: on, amount, block }): Deposit => {
          const seen = Math.min(required, headAt(now) - block + 1);
          return { hash, index: 0, asset, network: on, amount, at: block * blockMs, seen, required };
        });
    },

    async send(order) {
      if (chain.isSilent) throw new Error('The network does not answer.');
      const known = sent.get(order.callId);
      if (known !== undefined) return sendState(known, order.now);
      if (cancelled.has(order.callId)) return refused('The transfer was cancelled.');
      if (chain.isRefusing) return refused('The wallet has reached its limit.', 'limit');
      const problem = problemOf(order);
      if (problem !== null) return refused(problem);
      const { asset, network, amount, to } = order;
      const block = headAt(order.now) + 1;
      const transfer = { hash: chain.hashOf(order.callId), asset, network, amount, to, block };
      orders.set(order.callId, order);
      sent.set(order.callId, transfer);
      return sendState(transfer, order.now);
    },

    async cancelSend(order) {
      if (chain.isSilent) throw new Error('The network does not answer.');
      const known = sent.get(order.callId);
      // A transfer that is in a block cannot be cancelled.
      if (known !== undefined && depthOf(known, order.now) > 0) return sendState(known, order.now);
      orders.delete(order.callId);
      sent.delete(order.callId);
      cancelled.add(order.callId);
      return refused('The transfer was cancelled.');
    },
  };
  return chain;
}

const hashOf = (kind: string, id: string) => `0x${createHash('sha256').update(`${kind} ${id}`).digest('hex')}`;

const depositAddressOf = (callId: string) => hashOf('address', callId).slice(0, 42);

const isSame = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();

function addressProblem(address: string): string | null {
  return /^0x[0-9a-f]{40}$/i.test(address) ? null : 'An address is 0x and 40 hexadecimal digits.';
}

function refused(message: string, code = 'settlement_error'): LegRefused {
  return { kind: 'refused', failure: { code, message, retryable: true } };
}
