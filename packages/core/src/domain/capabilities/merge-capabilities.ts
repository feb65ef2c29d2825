import { compare } from '../money/decimal.js';
import { FLOWS } from '../session/terms.js';
import { NOTHING_SERVED, type Capabilities, type ServedLimit } from './capabilities.js';

/**
 * What several providers serve together. The order is theirs, and of two that name one thing differently the first is believed. Limits
 * span: an amount that any of them takes is within.
 */
export function mergeCapabilities(all: readonly Capabilities[]): Capabilities {
  return all.reduce(mergeTwo, NOTHING_SERVED);
}

function mergeTwo(one: Capabilities, other: Capabilities): Capabilities {
  return {
    flows: union(one.flows, other.flows),
    paymentMethods: Object.fromEntries(
      FLOWS.map(
        (flow) => [flow, union(one.paymentMethods[flow] ?? [], other.paymentMethods[flow] ?? [])] as const,
      ).filter(([, methods]) => methods.length > 0),
    ),
    countries: byKey(codeOf, one.countries, other.countries, (a, b) => ({
      ...a,
      flows: union(a.flows, b.flows),
      paymentMethods: union(a.paymentMethods, b.paymentMethods),
    })),
    currencies: byKey(codeOf, one.currencies, other.currencies, (a, b) => ({ ...a, flows: union(a.flows, b.flows) })),
    assets: byKey(codeOf, one.assets, other.assets, (a, b) => ({
      ...a,
      networks: union(a.networks, b.networks),
      flows: union(a.flows, b.flows),
    })),
    networks: byKey(codeOf, one.networks, other.networks, (a) => a),
    limits: byKey(pairing, one.limits, other.limits, spanning),
  };
}

function union<Item>(one: readonly Item[], other: readonly Item[]): readonly Item[] {
  return [...new Set([...one, ...other])];
}

function codeOf(row: { readonly code: string }): string {
  return row.code;
}

function pairing({ flow, paymentMethod, currency }: ServedLimit): string {
  return `${flow}/${paymentMethod}/${currency}`;
}

function spanning(a: ServedLimit, b: ServedLimit): ServedLimit {
  return {
    ...a,
    minAmount: compare(b.minAmount, a.minAmount) < 0 ? b.minAmount : a.minAmount,
    maxAmount: compare(b.maxAmount, a.maxAmount) > 0 ? b.maxAmount : a.maxAmount,
  };
}

/** Rows of one key become one, at the place of the first. */
function byKey<Row>(
  keyOf: (row: Row) => string,
  one: readonly Row[],
  other: readonly Row[],
  join: (a: Row, b: Row) => Row,
): readonly Row[] {
  const rows = new Map<string, Row>();
  for (const row of [...one, ...other]) {
    const known = rows.get(keyOf(row));
    rows.set(keyOf(row), known === undefined ? row : join(known, row));
  }
  return [...rows.values()];
}
