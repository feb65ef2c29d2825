import type { Instant } from '@gateramp/core/domain';

import { type Asset, unitsOf } from './assets.js';
import { unitsIn } from './booking.js';
import type { Failure, Units, WalletBody } from './documents.js';
import type { Place } from './place.js';

/** What a view of the chain shows of the wallet. */
export interface ViewedUnits {
  /** Units that no signed send has, by asset. */
  readonly free: ReadonlyMap<string, bigint>;
  /** What the wallet had given to sends before the view was read. Sends since then are not part of `free`. */
  readonly taken: Units;
}

/** What a send takes from the wallet. */
export interface Taking {
  readonly asset: Asset;
  readonly units: bigint;
  /** The most that its gas can cost, in units of the native coin. */
  readonly gas: bigint;
}

const plus = (units: Units | undefined, asset: string, more: bigint): Units => ({
  ...units,
  [asset]: String(unitsIn(units, asset) + more),
});

/** The UTC day to which spending counts: of the store's clock, and never before the stored one, so no process restarts a day. */
export async function dayOf({ documents, now }: Place, body: WalletBody): Promise<string> {
  const today = utcDay(await documents.now(now()));
  return today > body.day ? today : body.day;
}

const utcDay = (at: Instant) => new Date(at).toISOString().slice(0, 'YYYY-MM-DD'.length);

/** Units of the asset that were spent on this day. */
export const spentOn = (day: string, body: WalletBody, asset: string): bigint =>
  body.day === day ? unitsIn(body.spent, asset) : 0n;

/** The rest of `max_per_day`, less what is reserved; null without a limit. */
export function dayLeft({ wallet }: Place, body: WalletBody, { asset, day }: { asset: Asset; day: string }) {
  const limit = limitUnits(wallet.maxPerDay, asset);
  return limit === null ? null : limit - spentOn(day, body, asset.asset) - unitsIn(body.reserved, asset.asset);
}

/** Counts units towards a day. */
export function withSpent(body: WalletBody, { asset, units, day }: { asset: string; units: bigint; day: string }) {
  const spent = plus(body.day === day ? body.spent : {}, asset, units);
  return { ...body, day, spent };
}

/** Sets units aside. */
export const withReserved = (body: WalletBody, asset: string, units: bigint): WalletBody => ({
  ...body,
  reserved: plus(body.reserved, asset, units),
  holds: (body.holds ?? 0) + 1,
});

/** Gives back units that were set aside, or that a send uses now. */
export const withoutReserved = (body: WalletBody, asset: string, units: bigint): WalletBody => ({
  ...body,
  reserved: plus(body.reserved, asset, -units),
  holds: Math.max(0, (body.holds ?? 0) - 1),
});

/** Records that a send got a nonce. */
export function withTaken(body: WalletBody, { asset, units, gas }: Taking, native: string): WalletBody {
  const taken = plus(body.taken, asset.asset, units);
  return { ...body, taken: gas === 0n ? taken : plus(taken, native, gas) };
}

/** Units that neither a signed send of any process nor a reservation has. */
export function freeUnits(view: ViewedUnits, body: WalletBody, asset: string): bigint {
  return heldUnits(view, body, asset) - unitsIn(body.reserved, asset);
}

/** Units that no signed send of any process has: what the view shows, less what was taken after it was read. */
export function heldUnits(view: ViewedUnits, body: WalletBody, asset: string): bigint {
  const since = unitsIn(body.taken, asset) - unitsIn(view.taken, asset);
  return (view.free.get(asset) ?? 0n) - (since > 0n ? since : 0n);
}

/** A limit in units; null without one. */
export function limitUnits(limits: Readonly<Record<string, string>> | undefined, asset: Asset): bigint | null {
  const limit = limits?.[asset.asset];
  if (limit === undefined) return null;
  const units = unitsOf(limit, asset);
  if (units === null) throw new Error(`The limit ${limit} of ${asset.asset} is not an amount.`);
  return units;
}

/** For how long a refusal keeps its alarm raised. */
const REFUSAL_MS = 600_000;

/** The failure of a send above a limit. Raises an alarm, so that an operator looks at it. */
export function limitReached({ alarms, network, address }: Place, { asset }: Asset): Failure {
  const fields = { network: network.network, wallet: address, asset };
  alarms.hold(true, 'wallet_limit_reached', fields, { forMs: REFUSAL_MS });
  return { code: 'limit_exceeded', message: 'The amount is above what can be delivered today.', retryable: true };
}

/** The failure of a reservation above the wallet's stock. Raises an alarm, so that an operator funds the wallet. */
export function stockReached({ alarms, network, address }: Place, { asset }: Asset): Failure {
  const fields = { network: network.network, wallet: address, asset };
  alarms.hold(true, 'wallet_unfunded', fields, { cause: 'reserve', forMs: REFUSAL_MS });
  return { code: 'limit_exceeded', message: 'The amount is above what can be delivered now.', retryable: true };
}
