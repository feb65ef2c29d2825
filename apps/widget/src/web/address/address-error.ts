import type { FieldError } from '../app/screen.js';
import { hasWrongChecksum } from './eip55.js';

const LENGTH_MAX = 128;

/** Addresses without a known private key. */
const BURN_ADDRESS = /^0x0{36}(?:0000|dead)$/i;

/** Contracts of USDC and USDT on Ethereum, Base, Polygon and Arbitrum, which buyers paste by mistake. Funds sent to them are lost. */
const TOKEN_CONTRACTS: ReadonlySet<string> = new Set([
  '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48',
  '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
  '0x3c499c542cef5e3811e1192ce70d8cc03d5c3359',
  '0xaf88d065e77c8cc2239327c5edb3a432268e5831',
  '0xdac17f958d2ee523a2206206994597c13d831ec7',
  '0xc2132d05d31c914a87c6611c10748aeb04b58e8f',
  '0xfd086bc7cd5c481dcc9c85ebe478a1c0b69fcbb9',
]);

/** Validates the form of an address; null if no error was found. */
export function addressError(address: string, isEvm: boolean): FieldError | null {
  if (!isEvm) return [...address].length > LENGTH_MAX ? 'not_an_address' : null;
  if (!/^0x[0-9a-fA-F]{40}$/.test(address)) return 'not_an_address';
  if (BURN_ADDRESS.test(address)) return 'burn_address';
  if (TOKEN_CONTRACTS.has(address.toLowerCase())) return 'token_contract';
  return hasWrongChecksum(address) ? 'wrong_checksum' : null;
}
