import { parseGwei } from 'viem';

import type { EvmNetworkOptions } from './options.js';
import type { Header, Rpc } from './rpc.js';

/** The fees of a transaction per unit of gas, in wei. With legacy fees both are the gas price. */
export interface Fee {
  readonly maxFee: bigint;
  readonly tip: bigint;
}

/** The prices of gas per unit, in wei. */
export interface FeeMarket {
  /** Zero with legacy fees. */
  readonly baseFee: bigint;
  /** The suggested priority fee, or the gas price with legacy fees. */
  readonly tip: bigint;
  /** The highest base fee of the newest blocks, and the median of their priority fees. */
  readonly usual: bigint;
}

/** The most that a transaction may cost. */
export interface FeeLimits {
  readonly gas: bigint;
  /** The value of what is sent, in wei; null when it is not known. */
  readonly worth: bigint | null;
  /** A cancellation must be able to outbid its transfer, so transfers leave it a fifth of the bound. */
  readonly isCancellation?: boolean;
}

/** A fee, or the limit that is below it. */
export type FeeResult = { readonly kind: 'fee'; readonly fee: Fee } | { readonly kind: 'gas_ceiling' | 'fee_bound' };

/** Reads the prices of gas: from the suggestion and the history of the node, or from its gas price where it has neither. */
export async function readMarket(network: EvmNetworkOptions, rpc: Rpc, head: Header): Promise<FeeMarket> {
  const history = await rpc.feeHistory();
  const paidTips = (history?.tips ?? []).filter((tip) => tip > 0n);
  // Two expensive transactions on a quiet chain are not a price.
  const pastTip = paidTips.length >= PAID_MIN ? middleOf(paidTips) : 0n;
  const past = history === null ? 0n : largest(history.baseFees) + pastTip;
  if (network.fees === 'legacy' || head.baseFee === null) {
    const price = await rpc.gasPrice();
    return { baseFee: 0n, tip: price, usual: past > 0n ? past + CREDIBLE_TIP : price };
  }
  const suggested =
    (await rpc.tip()) ?? (paidTips.length > 0 ? middleOf(paidTips) : await priceAbove(rpc, head.baseFee));
  const paid = history === null ? suggested : pastTip;
  const credible = suggested < CREDIBLE_TIP ? suggested : CREDIBLE_TIP;
  const base = largest([head.baseFee, ...(history?.baseFees ?? [])]);
  return { baseFee: head.baseFee, tip: suggested, usual: base + largest([paid, credible]) };
}

/**
 * The fee for inclusion in one of the next blocks, at most the ceiling, the multiple of the usual price, and the share of the value sent. A
 * suggested priority fee above the usual price is lowered to it.
 */
export function feeFor(network: EvmNetworkOptions, market: FeeMarket, limits: FeeLimits): FeeResult {
  const { baseFee } = market;
  const wanted = smallest([market.tip, market.usual]);
  const ceiling = ceilingOf(network);
  const bound = boundOf(network, market, limits);
  if (ceiling !== null && baseFee + wanted > ceiling) return { kind: 'gas_ceiling' };
  if (baseFee + wanted > bound) return { kind: 'fee_bound' };
  const most = ceiling === null ? bound : smallest([ceiling, bound]);
  const tip = smallest([wanted, most - baseFee]);
  return { kind: 'fee', fee: { maxFee: smallest([baseFee * 2n + tip, most]), tip } };
}

/** The fee of a replacement: both parts raised by 12.5 %, or the market fee where it is higher, within the same limits. */
export function bumped(
  network: EvmNetworkOptions,
  old: Fee,
  { market, limits }: { market: FeeMarket; limits: FeeLimits },
): FeeResult {
  const now = feeFor(network, market, limits);
  const wanted = now.kind === 'fee' ? now.fee : { maxFee: 0n, tip: 0n };
  const tip = largest([raised(old.tip), wanted.tip]);
  const maxFee = largest([raised(old.maxFee), wanted.maxFee, tip]);
  const ceiling = ceilingOf(network);
  if (ceiling !== null && maxFee > ceiling) return { kind: 'gas_ceiling' };
  return maxFee > boundOf(network, market, limits) ? { kind: 'fee_bound' } : { kind: 'fee', fee: { maxFee, tip } };
}

/** The highest price per unit of gas that a transaction may pay. */
function boundOf(
  { feeMultipleMax = FEE_MULTIPLE_MAX, feeShareMaxBps = FEE_SHARE_MAX_BPS }: EvmNetworkOptions,
  { usual }: FeeMarket,
  { gas, worth, isCancellation = false }: FeeLimits,
): bigint {
  const byHistory = (usual * BigInt(Math.round(feeMultipleMax * 100))) / 100n;
  const byWorth = worth === null || gas === 0n ? byHistory : (worth * BigInt(feeShareMaxBps)) / (10_000n * gas);
  const bound = smallest([byHistory, byWorth]);
  return isCancellation ? bound : (bound * 4n) / 5n;
}

const FEE_MULTIPLE_MAX = 10;
const FEE_SHARE_MAX_BPS = 5_000;
/** A suggested priority fee up to this counts as usual even if the newest blocks paid none, as on a chain without traffic. */
const CREDIBLE_TIP = 30_000_000_000n;
/** The blocks with transactions that make a history of priority fees. */
const PAID_MIN = 5;

/** The suggested price less the base fee. For nodes without a suggestion and a history of priority fees. */
async function priceAbove(rpc: Rpc, baseFee: bigint): Promise<bigint> {
  const price = await rpc.gasPrice();
  return price > baseFee ? price - baseFee : 1n;
}

/** The median, so that single expensive transactions do not count. */
function middleOf(values: readonly bigint[]): bigint {
  const sorted = values.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return sorted[Math.floor(sorted.length / 2)] ?? 0n;
}

/** Raises a fee by 12.5 %, since nodes require at least 10 % for a replacement. Rounded up, so that small fees rise too. */
const raised = (fee: bigint) => (fee * 1_125n + 999n) / 1_000n;
const largest = (values: readonly bigint[]) => values.reduce((a, b) => (a > b ? a : b), 0n);
const smallest = ([first = 0n, ...others]: readonly bigint[]) => others.reduce((a, b) => (a < b ? a : b), first);
const ceilingOf = ({ gasCeilingGwei }: EvmNetworkOptions) =>
  gasCeilingGwei === undefined ? null : parseGwei(gasCeilingGwei);
