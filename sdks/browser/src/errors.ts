/** A secret key (`sk_…`) was passed in a browser. Remove it from the page and revoke it: every visitor can read it. */
export class SecretKeyInBrowserError extends Error {
  override name = 'SecretKeyInBrowserError';
}

/** An invalid or missing option. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

/** The target element does not exist. */
export class MountTargetError extends Error {
  override name = 'MountTargetError';
}

/** The call is invalid in the current state: a second `mount` without `unmount`. */
export class StateError extends Error {
  override name = 'StateError';
}

/** The cause of a failed mount. */
export type MountErrorCode =
  | 'bootstrap_failed'
  | 'origin_not_allowed'
  | 'key_mode_mismatch'
  | 'blocked'
  | 'timeout'
  | 'aborted';

export interface MountFailure {
  /** What happened, in one sentence. */
  readonly what: string;
  /** How to fix it, in one sentence. */
  readonly hint: string;
  /** HTTP status of the bootstrap; null without a response. */
  readonly status?: number | null;
  /** Quote it to support; null without a response. */
  readonly requestId?: string | null;
}

/** The checkout could not be mounted. Nothing of it is left on the page, and `mount` may be called again. */
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
