import { parseGwei } from 'viem';

import type { EvmNetworkOptions } from './options.js';
import type { Header, Rpc } from './rpc.js';

/** What a transaction offers for its gas, in wei. With legacy fees both are the gas price. */
export interface Fee {
  readonly maxFee: bigint;
  readonly tip: bigint;
}

/** The fee that gets a transaction into one of the next blocks now; null when gas costs more than the ceiling. */
export async function marketFee(network: EvmNetworkOptions, rpc: Rpc, head: Header): Promise<Fee | null> {
  const ceiling = ceilingOf(network);
  if (network.fees === 'legacy' || head.baseFee === null) {
    const gasPrice = await rpc.gasPrice();
    if (ceiling !== null && gasPrice > ceiling) return null;
    return { maxFee: gasPrice, tip: gasPrice };
  }
  const tip = await rpc.tip();
  const least = head.baseFee + tip;
  if (ceiling !== null && least > ceiling) return null;
  const wanted = head.baseFee * 2n + tip;
  return { maxFee: ceiling !== null && wanted > ceiling ? ceiling : wanted, tip };
}

/** A replacement: both fees at least 12.5 % up, as nodes ask, or the market's where that is more; null above the ceiling. */
export function bumped(network: EvmNetworkOptions, old: Fee, market: Fee): Fee | null {
  const tip = max(raised(old.tip), market.tip);
  const maxFee = max(max(raised(old.maxFee), market.maxFee), tip);
  const ceiling = ceilingOf(network);
  return ceiling !== null && maxFee > ceiling ? null : { maxFee, tip };
}

/** Nodes want more than 10 %. Rounded up, so that small fees rise too. */
const raised = (fee: bigint) => (fee * 1_125n + 999n) / 1_000n;
const max = (a: bigint, b: bigint) => (a > b ? a : b);
const ceilingOf = ({ gasCeilingGwei }: EvmNetworkOptions) =>
  gasCeilingGwei === undefined ? null : parseGwei(gasCeilingGwei);
