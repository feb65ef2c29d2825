/** A secret key (`sk_…`) was given to a browser. Remove it from the page and revoke it: every visitor of the page has it. */
export class SecretKeyInBrowserError extends Error {
  override name = 'SecretKeyInBrowserError';
}

/** A setting that cannot work, or one that is missing. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

/** There is nothing on the page to mount into. */
export class MountTargetError extends Error {
  override name = 'MountTargetError';
}

/** A call that its instance cannot take now: a second `mount` without `unmount`. */
export class StateError extends Error {
  override name = 'StateError';
}

/** Why a checkout could not be shown. */
export type MountErrorCode =
  | 'bootstrap_failed'
  | 'origin_not_allowed'
  | 'key_mode_mismatch'
  | 'blocked'
  | 'timeout'
  | 'aborted';

export interface MountFailure {
  /** What happened, in a sentence. */
  readonly what: string;
  /** What to do about it, in a sentence. */
  readonly hint: string;
  /** HTTP status of the bootstrap; null when nothing was answered. */
  readonly status?: number | null;
  /** To be quoted to support; null when nothing was answered. */
  readonly requestId?: string | null;
}

/** Why the checkout is not there. Nothing of it is left on the page, and `mount` may be called again. */
export class MountError extends Error {
  override name = 'MountError';
  declare readonly code: MountErrorCode;
  declare readonly hint: string;
  declare readonly status: number | null;
  declare readonly requestId: string | null;

  constructor(code: MountErrorCode, { what, hint, status = null, requestId = null }: MountFailure) {
    super(`${what} ${hint}`);
    Object.assign(this, { code, hint, status, requestId });
  }
}
