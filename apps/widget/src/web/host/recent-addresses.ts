/** An address that the buyer has asked this device to remember. */
export interface RecentAddress {
  readonly network: string;
  readonly address: string;
}

const KEY = 'gate:addresses';
const KEPT_MAX = 5;

/**
 * The stored addresses, newest first. Empty if the browser blocks storage. In a frame, browsers keep separate storage for each embedding
 * site.
 */
export function recentAddresses(): readonly RecentAddress[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    return Array.isArray(kept) ? kept.filter(isRecent).slice(0, KEPT_MAX) : [];
  } catch {
    return [];
  }
}

/** Adds to the stored addresses. */
export function rememberAddresses(added: readonly RecentAddress[]): void {
  const isAdded = ({ network, address }: RecentAddress): boolean =>
    added.some((one) => one.network === network && one.address === address);
  try {
    const kept = [...added, ...recentAddresses().filter((one) => !isAdded(one))].slice(0, KEPT_MAX);
    localStorage.setItem(KEY, JSON.stringify(kept));
  } catch {
    // Storage is blocked in this frame, or full.
  }
}

export function forgetAddresses(): void {
  try {
    localStorage.removeItem(KEY);
  } catch {
    // Storage is blocked, so nothing was stored either.
  }
}

function isRecent(value: unknown): value is RecentAddress {
  if (typeof value !== 'object' || value === null) return false;
  const { network, address }: Partial<Record<keyof RecentAddress, unknown>> = value;
  return typeof network === 'string' && typeof address === 'string' && address.length <= 128;
}
