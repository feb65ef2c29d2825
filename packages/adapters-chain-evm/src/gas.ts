import { formatUnits } from 'viem';

import { type Asset, checksummed, unitsOf } from './assets.js';
import type { Failure } from './documents.js';
import { NATIVE_DECIMALS } from './networks.js';
import type { Place } from './place.js';
import { RpcOutageError, withDeadline } from './rpc.js';
import { transferAction } from './sign.js';

/** A transfer to simulate. */
export interface Transfer {
  readonly to: string;
  readonly units: bigint;
}

/** The gas estimate with a margin; null when the transfer would revert. */
export async function gasOf({ rpc, address }: Place, asset: Asset, { to, units }: Transfer): Promise<bigint | null> {
  const action = transferAction(asset.token, checksummed(to), units);
  try {
    const gas = await rpc.ask(() => rpc.client.estimateGas({ account: address, ...action }));
    return asset.token === null && gas <= 21_000n ? gas : (gas * 5n) / 4n;
  } catch (error) {
    if (error instanceof RpcOutageError) throw error;
    return null;
  }
}

/**
 * Finds out why a transfer reverts: the receiver is the cause if the same transfer to another address works, otherwise the token, which may
 * work again later. Null for the token.
 */
export async function receiverRefusal(
  place: Place,
  asset: Asset,
  { units, call }: Pick<Transfer, 'units'> & { readonly call: string },
): Promise<Failure | null> {
  const elsewhere = await gasOf(place, asset, { to: OTHER_RECEIVER, units });
  const { alarms, network } = place;
  const fields = { network: network.network, asset: asset.asset };
  alarms.hold(elsewhere === null, 'token_transfer_reverts', fields, { cause: call, forMs: CAUSE_MS });
  if (elsewhere === null) return null;
  const message = `The receiving address does not accept ${asset.asset}.`;
  return { code: 'settlement_error', message, retryable: true };
}

export const OTHER_RECEIVER = '0x00000000000000000000000067617465726D7001';
/** For how long a send that is no longer tried keeps an alarm raised. */
export const CAUSE_MS = 600_000;

/** Holds the alarm of the limit that a send's fee has reached, and clears the others. */
export function holdFeeAlarms({ alarms, network, address }: Place, cause: string, kind: string): void {
  const label = { network: network.network, wallet: address };
  for (const name of ['gas_ceiling', 'fee_bound'] as const)
    alarms.hold(kind === name, name, label, { cause, forMs: CAUSE_MS });
}

const WORTH_MAX_MS = 3_000;

/** The value of units of an asset in the smallest unit of the native coin; null when it is not known. */
export async function worthOf(
  { worth, network }: Pick<Place, 'worth' | 'network'>,
  asset: Asset,
  units: bigint,
): Promise<bigint | null> {
  if (asset.token === null) return units;
  if (worth === undefined) return null;
  const amount = { amount: formatUnits(units, asset.decimals), asset: asset.asset, network: network.network };
  const value = await withDeadline(worth(amount, network.native), WORTH_MAX_MS).catch(() => null);
  if (value === null) return null;
  const [whole = '0', fraction = ''] = value.split('.');
  return unitsOf(`${whole}.${fraction.slice(0, NATIVE_DECIMALS)}`.replace(/\.$/, ''), { decimals: NATIVE_DECIMALS });
}
