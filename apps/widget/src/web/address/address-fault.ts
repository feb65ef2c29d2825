import type { Fault } from '../app/screen.js';
import { hasWrongChecksum } from './eip55.js';

/** Networks whose addresses are those of Ethereum. */
const EVM_NETWORKS: ReadonlySet<string> = new Set([
  'ethereum',
  'base',
  'polygon',
  'arbitrum',
  'optimism',
  'bsc',
  'avalanche',
]);

const LENGTH_MAX = 128;

/** What speaks against an address on a network, as far as its shape can tell; null when nothing does. */
export function addressFault(address: string, network: string | null): Fault | null {
  if (address === '') return 'required';
  if (network === null || !EVM_NETWORKS.has(network)) return [...address].length > LENGTH_MAX ? 'not_an_address' : null;
  if (!/^0x[0-9a-fA-F]{40}$/.test(address)) return 'not_an_address';
  return hasWrongChecksum(address) ? 'wrong_checksum' : null;
}
