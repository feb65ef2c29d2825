import { type Address, getAddress, isAddress, parseUnits } from 'viem';

import { type EvmNetwork, NATIVE_DECIMALS } from './networks.js';

/** A token, or the native coin when `token` is null. */
export interface Asset {
  readonly asset: string;
  readonly token: Address | null;
  readonly decimals: number;
}

/** All assets of the network, tokens first. */
export function assetsOf(network: EvmNetwork): readonly Asset[] {
  const tokens = network.tokens.map(({ asset, address, decimals }) => ({ asset, token: address, decimals }));
  return [...tokens, { asset: network.native, token: null, decimals: NATIVE_DECIMALS }];
}

/** The amount in the token's smallest unit; null when the text is not an amount or has too many decimals. */
export function unitsOf(amount: string, { decimals }: Pick<Asset, 'decimals'>): bigint | null {
  const match = /^(\d{1,60})(?:\.(\d+))?$/.exec(amount);
  if (match === null) return null;
  const fraction = (match[2] ?? '').replace(/(?<!0)0+$/, '');
  // `parseUnits` would round it.
  if (fraction.length > decimals) return null;
  return parseUnits(amount, decimals);
}

/** Why tokens cannot be sent to the address, in words for the buyer; null when they can. */
export function addressProblem(network: EvmNetwork, wallet: Address, address: string): string | null {
  if (!/^0x[0-9a-fA-F]{40}$/.test(address))
    return `An address on ${network.displayName} is 0x and 40 hexadecimal digits.`;
  const digits = address.slice(2);
  const isMixed = digits !== digits.toLowerCase() && digits !== digits.toUpperCase();
  if (isMixed && !isAddress(address, { strict: true }))
    return 'The address has a wrong checksum. Copy it again from your wallet.';
  const lower = address.toLowerCase();
  if (BigInt(address) < SYSTEM_ADDRESSES)
    return 'Tokens sent to this address are lost. Enter the address of your wallet.';
  if (network.tokens.some((token) => token.address.toLowerCase() === lower))
    return 'This is the address of a token contract. Enter the address of your wallet.';
  if (lower === wallet.toLowerCase()) return 'This address is ours. Enter the address of your wallet.';
  return null;
}

/** Addresses below this are the zero address and the precompiled contracts. */
const SYSTEM_ADDRESSES = 0x10000n;

/** The address with its checksum, for addresses that have passed `addressProblem`. */
export function checksummed(address: string): Address {
  return getAddress(address.toLowerCase());
}
