import { encodeFunctionData, type Hex, parseAbi } from 'viem';

import { type Asset, checksummed } from './assets.js';
import { gasOf, OTHER_RECEIVER, type Transfer } from './gas.js';
import type { Place } from './place.js';
import { RpcOutageError } from './rpc.js';

/**
 * Why the token must not be sent: no contract, other decimals than configured, stopped transfers, or a fee on transfers. Null
 * when it can be sent, and when the node cannot simulate a transfer (then the receipt of a send shows the problem).
 */
export async function tokenProblem(
  place: Place,
  { asset, token, decimals }: Asset,
  balance: bigint,
): Promise<string | null> {
  if (token === null) return null;
  const { rpc, alarms, network } = place;
  const label = { network: network.network, asset, token };
  const answered = await rpc.decimals(token).catch(nullUnlessOutage);
  alarms.hold(answered !== decimals, 'token_decimals_mismatch', {
    ...label,
    configured: decimals,
    answered: answered ?? 'none',
  });
  if (answered === null) return `There is no token ${asset} at ${token}.`;
  if (answered !== decimals) return `${asset} has ${answered} decimals, and ${decimals} are configured.`;
  if (balance === 0n) return null;
  const one = { to: OTHER_RECEIVER, units: balance };
  const isStopped = (await gasOf(place, { asset, token, decimals }, one)) === null;
  const reverts = { network: network.network, asset };
  alarms.hold(isStopped, 'token_transfer_reverts', reverts, { cause: 'check' });
  if (isStopped) return `${asset} cannot be transferred now.`;
  return arrivalProblem(place, { asset, token, decimals }, one);
}

/** Why less than the units would arrive; null when they would, or when the node cannot simulate that. */
export async function arrivalProblem(
  place: Place,
  { asset, token }: Asset,
  transfer: Transfer,
): Promise<string | null> {
  if (token === null) return null;
  const arrived = await deliveredBy(place, token, transfer);
  const takesFee = arrived !== null && arrived < transfer.units;
  place.alarms.hold(takesFee, 'token_fee_on_transfer', { network: place.network.network, asset, token });
  return takesFee ? `${asset} takes a fee on every transfer.` : null;
}

/** The units that would arrive at the receiver; null when that cannot be simulated. */
async function deliveredBy({ rpc, address }: Place, token: Hex, { to, units }: Transfer): Promise<bigint | null> {
  const args = [token, checksummed(to), units] as const;
  const data = encodeFunctionData({ abi: PROBE_ABI, functionName: 'probe', args });
  const answer = await rpc
    .ask(() => rpc.client.call({ to: address, data, stateOverride: [{ address, code: PROBE_CODE }] }))
    .catch(nullUnlessOutage);
  return answer?.data === undefined || answer.data === '0x' ? null : BigInt(answer.data);
}

/** Replaces the wallet's code in a simulated call: makes the transfer and returns the increase of the receiver's balance. */
const PROBE_ABI = parseAbi(['function probe(address token, address to, uint256 amount) returns (uint256)']);
/** The compiled test/contracts/transfer-probe.sol; a test compares them. */
const PROBE_CODE: Hex =
  '0x608060405234801561001057600080fd5b506004361061002b5760003560e01c8063dd8e5ec914610030575b600080fd5b61004361003e36600461020d565b610055565b60405190815260200160405180910390f35b600080846001600160a01b03166370a08231856040518263ffffffff1660e01b8152600401610084919061024e565b602060405180830381865afa1580156100a1573d6000803e3d6000fd5b505050506040513d601f19601f820116820180604052508101906100c59190610262565b604080516001600160a01b038781166024830152604480830188905283518084039091018152606490920183526020820180516001600160e01b031663a9059cbb60e01b179052915192935060009291881691610122919061027b565b6000604051808303816000865af19150503d806000811461015f576040519150601f19603f3d011682016040523d82523d6000602084013e610164565b606091505b505090508061017257600080fd5b6040516370a0823160e01b815282906001600160a01b038816906370a08231906101a090899060040161024e565b602060405180830381865afa1580156101bd573d6000803e3d6000fd5b505050506040513d601f19601f820116820180604052508101906101e19190610262565b6101eb91906102aa565b9695505050505050565b6001600160a01b038116811461020a57600080fd5b50565b60008060006060848603121561022257600080fd5b833561022d816101f5565b9250602084013561023d816101f5565b929592945050506040919091013590565b6001600160a01b0391909116815260200190565b60006020828403121561027457600080fd5b5051919050565b6000825160005b8181101561029c5760208186018101518583015201610282565b506000920191825250919050565b818103818111156102cb57634e487b7160e01b600052601160045260246000fd5b9291505056';

function nullUnlessOutage(error: unknown): null {
  if (error instanceof RpcOutageError) throw error;
  return null;
}
