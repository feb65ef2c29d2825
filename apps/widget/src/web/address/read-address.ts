import { plain, visible } from '../forms/plain.js';
import { checked, unreadable, withoutWords, type Reading } from '../forms/read.js';
import { addressError } from './address-error.js';

/** Networks with Ethereum addresses: the id and the short name of their chain (EIP-155, EIP-3770). */
const CHAINS: Readonly<Record<string, readonly string[]>> = {
  ethereum: ['1', 'eth'],
  base: ['8453', 'base'],
  polygon: ['137', 'matic'],
  arbitrum: ['42161', 'arb1'],
  optimism: ['10', 'oeth'],
  bsc: ['56', 'bnb'],
  avalanche: ['43114', 'avax'],
};

/** A payment link (ERC-681), with groups for the target, the chain, the function and the query. */
const PAYMENT_LINK = /^ethereum:(?:pay-)?(0x[\da-f]{40})(?:@(\w+))?(?:\/(\w+))?(?:\?(.*))?$/i;

/** An address that names its chain, as `base:0x…` or `eip155:8453:0x…`. */
const WITH_CHAIN = /^(?:eip155:)?([\w-]+):(0x.*)$/i;

const ADDRESS = /^0x[\da-f]{40}$/i;

/**
 * Reads an address as typed, copied or scanned: from a payment link, after the name of its chain, or between words. A link that names no
 * chain is for any, since wallets write such links for all of them.
 */
export function readAddress(text: string, network: string | null): Reading {
  const isEvm = network !== null && network in CHAINS;
  if (isEvm && /^[^\s:/]+\.[a-z]{2,}$/i.test(visible(text))) return checked(text, 'a_name');
  const { given, chain } = partsOf(plain(text));
  const theirs = chain === null ? null : networkOf(chain);
  if (theirs !== null && network !== null && theirs !== network && (isEvm || theirs in CHAINS))
    return checked(text, `another_network ${theirs}`);
  const joined = [given, withoutWords(given)].map((one) => one.replace(/[\s.-]/g, ''));
  const address = joined.find((one) => ADDRESS.test(one))?.replace(/^0X/, '0x') ?? (isEvm ? (joined[1] ?? '') : given);
  const odd = isEvm && /^0x[^:/?@]*$/i.test(address) ? unreadable(address.slice(2), /[\da-f]/i) : null;
  return checked(address, odd ?? addressError(address, isEvm));
}

/** The network of a chain's id or short name. One that is not listed keeps its own name. */
function networkOf(chain: string): string {
  return Object.keys(CHAINS).find((one) => CHAINS[one]?.includes(chain)) ?? chain.replace(/^\d+$/, 'Chain $&');
}

/** The text of the address itself, and the id or short name of its chain; null if it names none. */
function partsOf(text: string): { readonly given: string; readonly chain: string | null } {
  const [, target, id, call, query] = PAYMENT_LINK.exec(text.replaceAll(' ', '')) ?? [];
  const given = recipient(target, call, query);
  if (given !== null) return { given, chain: id === undefined ? null : String(Number(id)) };
  const [, chain, address] = WITH_CHAIN.exec(text) ?? [];
  if (chain === undefined || address === undefined || /^ethereum$/i.test(chain)) return { given: text, chain: null };
  return { given: address, chain: chain.toLowerCase() };
}

/** In a token transfer link the target is the token's contract, and the query names the recipient. */
function recipient(target: string | undefined, call: string | undefined, query: string | undefined): string | null {
  if (target === undefined) return null;
  if (call === undefined) return target;
  return call === 'transfer' ? new URLSearchParams(query).get('address') : null;
}
