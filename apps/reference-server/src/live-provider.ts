import type { Mode } from '@gateramp/core';

/** What serves payments of live mode: the provider legs, the sandbox provider, or nothing. */
export type LiveProvider = 'legs' | 'sandbox' | 'none';

/** Provider legs replace the sandbox provider in the modes that their file lists. */
export function liveProviderOf({
  legs,
  liveSandbox,
}: {
  readonly legs: { readonly modes: readonly Mode[] } | null;
  readonly liveSandbox: boolean;
}): LiveProvider {
  if (legs?.modes.includes('live') === true) return 'legs';
  return liveSandbox ? 'sandbox' : 'none';
}

/** Notices about live mode, shown at the start and by commands that enable it. */
export const NO_LIVE_PROVIDER =
  'Live mode has no provider: set GATE_LEGS_FILE to provider legs with the mode "live", or GATE_LIVE_SANDBOX=on to run live mode on the sandbox provider, which moves no real money.';

export const LIVE_ON_SANDBOX =
  'Live mode runs on the sandbox provider (GATE_LIVE_SANDBOX=on): no real money moves there either.';
export const UNKNOWN_LIVE_PROVIDER =
  'The settings of this shell are incomplete, so it is not known whether the servers have a provider of live mode; a server without one refuses live checkouts:';
export const NO_LIVE_PROVIDER_HERE =
  'The settings of this shell name no provider of live mode. Make sure that the servers have one (GATE_LEGS_FILE, or GATE_LIVE_SANDBOX=on): a server without one refuses live checkouts.';
