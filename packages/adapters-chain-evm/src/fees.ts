import { parseGwei } from 'viem';

import type { EvmNetworkOptions } from './options.js';
import type { Header, Rpc } from './rpc.js';

/** The fees of a transaction per unit of gas, in wei. With legacy fees both are the gas price. */
export interface Fee {
  readonly maxFee: bigint;
  readonly tip: bigint;
}

/** The current fee for inclusion in one of the next blocks; null when gas costs more than the ceiling. */
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

/** The fee of a replacement: both parts raised by 12.5 %, or the market fee where it is higher. Null above the ceiling. */
export function bumped(network: EvmNetworkOptions, old: Fee, market: Fee): Fee | null {
  const tip = max(raised(old.tip), market.tip);
  const maxFee = max(max(raised(old.maxFee), market.maxFee), tip);
  const ceiling = ceilingOf(network);
  return ceiling !== null && maxFee > ceiling ? null : { maxFee, tip };
}

/** Raises a fee by 12.5 %, since nodes require at least 10 % for a replacement. Rounded up, so that small fees rise too. */
const raised = (fee: bigint) => (fee * 1_125n + 999n) / 1_000n;
const max = (a: bigint, b: bigint) => (a > b ? a : b);
const ceilingOf = ({ gasCeilingGwei }: EvmNetworkOptions) =>
  gasCeilingGwei === undefined ? null : parseGwei(gasCeilingGwei);
