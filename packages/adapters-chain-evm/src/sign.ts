import { type Address, encodeFunctionData, erc20Abi, type Hex, keccak256, recoverTransactionAddress } from 'viem';

import type { Attempt } from './documents.js';
import type { Fee } from './fees.js';
import type { Place } from './place.js';
import { withDeadline } from './rpc.js';

/** A transaction without its gas and fees. */
export interface Action {
  readonly to: Address;
  readonly value: bigint;
  readonly data: Hex;
}

/** The transfer of an asset to the receiver. */
export function transferAction(token: Address | null, to: Address, units: bigint): Action {
  if (token === null) return { to, value: units, data: '0x' };
  return {
    to: token,
    value: 0n,
    data: encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, units] }),
  };
}

/** A transfer of nothing, which only spends the nonce. */
export const cancelAction = (wallet: Address): Action => ({ to: wallet, value: 0n, data: '0x' });

/** A transaction to sign. `block`: the newest block. */
interface ToSign extends Required<Pick<Attempt, 'kind' | 'block'>> {
  readonly action: Action;
  readonly nonce: number;
  readonly gas: bigint;
  readonly fee: Fee;
}

/** The time limit of a signature. The sends of a wallet wait for each other, so a key service that hangs must not hold them up. */
const SIGN_MAX_MS = 10_000;

/** Signs one attempt. It must be stored before it is broadcast; a late signature is neither. */
export async function signAttempt(
  { network, wallet: { account }, now }: Pick<Place, 'network' | 'wallet' | 'now'>,
  { action, nonce, gas, fee, kind, block }: ToSign,
): Promise<Attempt> {
  const common = { ...action, chainId: network.chainId, nonce, gas };
  const signed =
    network.fees === 'legacy'
      ? account.signTransaction({ ...common, type: 'legacy', gasPrice: fee.maxFee })
      : account.signTransaction({
          ...common,
          type: 'eip1559',
          maxFeePerGas: fee.maxFee,
          maxPriorityFeePerGas: fee.tip,
        });
  const raw = await withDeadline(
    signed,
    SIGN_MAX_MS,
    () => new Error(`The signer of wallet ${account.address} did not answer within ${SIGN_MAX_MS / 1_000} s.`),
  );
  // The key of a key service may not belong to its stated address.
  if (account.source === 'custom') {
    const signer = await recoverTransactionAddress({ serializedTransaction: raw as `0x02${string}` });
    if (signer.toLowerCase() !== account.address.toLowerCase())
      throw new Error(`The signer of wallet ${account.address} signs as ${signer}.`);
  }
  return {
    kind,
    hash: keccak256(raw),
    raw,
    gas: String(gas),
    maxFee: String(fee.maxFee),
    tip: String(fee.tip),
    at: now(),
    block,
  };
}
