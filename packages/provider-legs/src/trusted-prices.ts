import { decimal, HOUR, type Instant } from '@gateramp/core/domain';
import { commitAudited } from './commit-audited.js';
import type { ExchangePair } from './ports/legs.js';
import type { AuditedCommit, JsonValue, LegDocument, LegsStore } from './ports/legs-store.js';

/** The memory of prices that were used, and the bound on how far the next one may be from them. */
export interface PriceTrust {
  /** All processes share the trusted prices, and a restart does not forget them. */
  readonly store: LegsStore;
  /** A single source may move the price by this much at once, relative to the lower one. 1000 by default. */
  readonly maxJumpBps?: number;
  /** Called once when a price is refused, until one is used again. */
  readonly alarm?: (name: 'price_jump', fields: Readonly<Record<string, string>>) => void;
}

/** A price on which enough sources agree. */
export interface AgreedPrice {
  readonly price: string;
  /** The number of independent sources that agree. */
  readonly sources: number;
}

/** The last trusted price of a pair, as operators see it. */
export interface PriceView {
  /** Such as `USDC/EUR`. */
  readonly pair: string;
  readonly price: string;
  readonly at: Instant;
  /** A price that jumped and is not used; null if there is none. */
  readonly refused: { readonly price: string; readonly since: Instant } | null;
}

/** Decides whether the price may be used at `now`; otherwise returns the reason. */
export type PriceJudge = (pair: ExchangePair, agreed: AgreedPrice, now: Instant) => Promise<string | null>;

const KIND = 'price';
const TRIES_MAX = 3;
/** The allowance of a price that nobody has seen for hours never exceeds this, unless the configured one does. */
const ALLOWANCE_MAX_BPS = 5_000;

/**
 * Judges prices by the last trusted one. Two independent sources that agree are trusted. A single source may move the price by
 * `maxJumpBps` within `maxAgeMs`. After a time without a trusted price the allowance grows by `maxJumpBps` each hour, up to 50 %, so that a
 * true move opens the pair again by itself, and a price that is wrong by a factor never does. The first price of a pair is trusted.
 */
export function priceJudge(
  { store, maxJumpBps = 1_000, alarm = () => undefined }: PriceTrust,
  maxAgeMs: number,
): PriceJudge {
  /** The last price that this process used, by pair. Moves within the age add up from the trusted price, and not from here. */
  const used = new Map<string, Trusted>();
  /** The pairs whose alarm this process has raised. A process that died before it could raise one leaves it to the next. */
  const alarmed = new Set<string>();

  return async (pair, agreed, now) => {
    const id = pairName(pair);
    for (let attempt = 0; attempt < TRIES_MAX; attempt += 1) {
      const document = await store.load(KIND, id);
      const known = document === null ? null : viewOf(document);
      const isTrusted =
        known === null ||
        agreed.sources > 1 ||
        isWithin(agreed.price, referenceOf(known, used.get(id), { now, maxAgeMs }), { now, maxJumpBps });
      const next = isTrusted
        ? trusting(known, agreed, { now, maxAgeMs, maxJumpBps })
        : refusing(known, agreed, now, maxJumpBps);
      if (next !== null && (await save(store, document, id, next)) === 'stale') continue;
      if (isTrusted) {
        used.set(id, { price: agreed.price, at: now });
        alarmed.delete(id);
        return null;
      }
      if (!alarmed.has(id)) alarm('price_jump', { pair: id, price: agreed.price, trusted_price: known.price });
      alarmed.add(id);
      return jumpReason(pair);
    }
    return `The price of ${id} is being changed.`;
  };
}

/** Why a price that jumped is not used. */
export function jumpReason(pair: ExchangePair): string {
  return `The price of ${pairName(pair)} has jumped and is not confirmed.`;
}

/** The trusted prices, and those that wait for a confirmation. */
export async function listPrices(store: LegsStore): Promise<readonly PriceView[]> {
  return (await store.list({ kind: KIND, after: null, limit: 1_000 })).map(viewOf);
}

/** The result of a confirmation; `changed`: the price is another one by now. */
export type ConfirmResult =
  | { readonly kind: 'confirmed'; readonly price: PriceView }
  | { readonly kind: 'not_found' | 'not_refused' | 'changed' };

/** Trusts a refused price on an operator's word. The sources must still be near it when it is used. */
export async function confirmPrice(
  store: LegsStore,
  pair: string,
  order: { readonly price: string; readonly now: Instant; readonly audited?: AuditedCommit },
): Promise<ConfirmResult> {
  const document = await store.load(KIND, pair);
  if (document === null) return { kind: 'not_found' };
  const before = viewOf(document);
  if (before.refused === null) return { kind: 'not_refused' };
  if (!decimal.equals(before.refused.price, order.price)) return { kind: 'changed' };
  const after: PriceView = { pair, price: before.refused.price, at: order.now, refused: null };
  const change = { documents: [documentOf(document, after)], entries: [] };
  const done = await commitAudited(store, change, { before, after }, order.audited);
  return done === 'stale' ? { kind: 'changed' } : { kind: 'confirmed', price: after };
}

type Trusted = Pick<PriceView, 'price' | 'at'>;

/** Within its age the stored price is the reference. Later, the last one that this process used, if that is newer. */
function referenceOf(
  known: Trusted,
  last: Trusted | undefined,
  { now, maxAgeMs }: { readonly now: Instant; readonly maxAgeMs: number },
): Trusted {
  return now - known.at > maxAgeMs && last !== undefined && last.at > known.at ? last : known;
}

function isWithin(
  price: string,
  reference: Trusted,
  { now, maxJumpBps }: { readonly now: Instant; readonly maxJumpBps: number },
): boolean {
  const hours = Math.floor(Math.max(0, now - reference.at) / HOUR);
  const grown = Math.min(ALLOWANCE_MAX_BPS, maxJumpBps * (1 + hours));
  return !differsBy(price, reference.price, Math.max(maxJumpBps, grown));
}

/** The row of a trusted price; null if the present one remains. */
function trusting(
  known: PriceView | null,
  { price }: AgreedPrice,
  { now, maxAgeMs, maxJumpBps }: { readonly now: Instant; readonly maxAgeMs: number; readonly maxJumpBps: number },
): Omit<PriceView, 'pair'> | null {
  const remains = known !== null && Math.abs(now - known.at) <= maxAgeMs && !differsBy(price, known.price, maxJumpBps);
  if (!remains) return { price, at: now, refused: null };
  return known.refused === null ? null : { price: known.price, at: known.at, refused: null };
}

/** The row with the refused price; null if about the same price is refused already. */
function refusing(
  known: PriceView,
  { price }: AgreedPrice,
  now: Instant,
  maxJumpBps: number,
): Omit<PriceView, 'pair'> | null {
  const { refused } = known;
  if (refused !== null && !differsBy(price, refused.price, maxJumpBps)) return null;
  return { price: known.price, at: known.at, refused: { price, since: refused?.since ?? now } };
}

function save(store: LegsStore, document: LegDocument | null, id: string, next: Omit<PriceView, 'pair'>) {
  return store.commit({ documents: [documentOf(document, { pair: id, ...next })], entries: [] });
}

function documentOf(replaced: LegDocument | null, { pair, price, at, refused }: PriceView): LegDocument {
  return {
    kind: KIND,
    id: pair,
    version: (replaced?.version ?? 0) + 1,
    status: refused === null ? 'trusted' : 'refused',
    dueAt: null,
    body: { price, at, refused: refused === null ? null : { ...refused } } satisfies JsonValue,
  };
}

function viewOf({ id, body }: LegDocument): PriceView {
  // Written by `documentOf`.
  return { pair: id, ...(body as unknown as Omit<PriceView, 'pair'>) };
}

const pairName = ({ asset, currency }: ExchangePair) => `${asset}/${currency}`;

/** Whether the two prices differ by more than the share of the lower one. */
export function differsBy(one: string, other: string, bps: number): boolean {
  const [lowest, highest] = decimal.compare(one, other) <= 0 ? [one, other] : [other, one];
  const difference = decimal.multiply(decimal.subtract(highest, lowest), '10000');
  return decimal.compare(difference, decimal.multiply(lowest, String(bps))) > 0;
}
