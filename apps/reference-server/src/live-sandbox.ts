/** Notices about live mode, shown at the start and by commands that enable it. */
export const NO_LIVE_PROVIDER =
  'Live mode has no provider: the only one of this build is the sandbox. Set GATE_LIVE_SANDBOX=on to run live mode on it, which moves no real money.';

export const LIVE_ON_SANDBOX =
  'Live mode runs on the sandbox provider (GATE_LIVE_SANDBOX=on): no real money moves there either.';
