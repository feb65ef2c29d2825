import type { PaymentMethod, QuotedTerms } from '@gateramp/core/domain';
import { SANDBOX_TOKENS, type Asset, type Corridor } from './corridors.js';

const METHODS: readonly (readonly [letter: string, method: PaymentMethod])[] = [
  ['c', 'card'],
  ['b', 'bank_transfer'],
  ['x', 'crypto'],
];

/** Quote ids number the assets from 1; 0 means no asset. Append new ones at the end. */
const ASSETS: readonly Asset[] = Object.entries(SANDBOX_TOKENS).flatMap(([token, { networks }]) =>
  networks.map((network) => ({ token, network })),
);

/** Encodes the terms of a quote in a few characters of its id: a method, two assets, and the country if there was one. */
export function writeTerms({ source, target }: Corridor, method: PaymentMethod, countryCode: string | null): string {
  const letter = METHODS.find(([, known]) => known === method)?.[0] ?? '';
  return `${letter}${numberOf(source)}${numberOf(target)}${countryCode?.toLowerCase() ?? ''}`;
}

/** Null for invalid text. */
export function readTerms(text: string): QuotedTerms | null {
  const paymentMethod = METHODS.find(([letter]) => letter === text.charAt(0))?.[1];
  if (paymentMethod === undefined) return null;
  const source = ASSETS[Number(text.charAt(1)) - 1];
  const target = ASSETS[Number(text.charAt(2)) - 1];
  return {
    sourceToken: source?.token ?? null,
    sourceNetwork: source?.network ?? null,
    targetToken: target?.token ?? null,
    targetNetwork: target?.network ?? null,
    paymentMethod,
    countryCode: text.length > 3 ? text.slice(3).toUpperCase() : null,
  };
}

function numberOf(asset: Asset | null): number {
  return ASSETS.findIndex(({ token, network }) => token === asset?.token && network === asset.network) + 1;
}
