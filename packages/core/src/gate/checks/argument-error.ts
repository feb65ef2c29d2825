import { isLoopback, isOriginText } from '../../domain/origin/origin.js';

/**
 * Invalid arguments from the host. Lists every problem with its location, the expected value and a description of the actual one. Never
 * quotes values that may be secret.
 */
export class GateArgumentError extends TypeError {
  override readonly name = 'GateArgumentError';

  constructor(
    what: string,
    readonly problems: readonly string[],
    /** `name_taken`: the name is in use; a user of the host's may have chosen it. */
    readonly code: 'invalid' | 'name_taken' = 'invalid',
  ) {
    super(
      `${what} (${problems.length === 1 ? '1 problem' : `${problems.length} problems`}):\n${problems.map((problem) => `  - ${problem}`).join('\n')}`,
    );
  }
}

/** Throws one error with all problems, if there are any. */
export function throwIfAny(what: string, ...problems: readonly (readonly string[])[]): void {
  const all = problems.flat();
  if (all.length > 0) throw new GateArgumentError(what, all);
}

/** Describes a value's type and size, never its content. */
export function shapeOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value === 'string') return value === '' ? 'an empty string' : `a string of ${value.length} characters`;
  if (typeof value === 'number') return `the number ${value}`;
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** Why a value is not a valid origin, in the form that browsers send; null if it is. */
export function originProblem(given: unknown): string | null {
  const advice =
    'must be an exact origin such as "https://shop.example": scheme, host and port, no path, no trailing slash, no wildcard';
  if (typeof given !== 'string' || !URL.canParse(given)) return advice;
  const { origin, protocol, hostname } = new URL(given);
  if (origin !== given || !isOriginText(origin))
    return `${advice}${isOriginText(origin) ? ` (perhaps "${origin}")` : ''}`;
  if (protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))) return null;
  return 'must use https; http is accepted for loopback only';
}

/** Why a value is not a valid public URL of the API; null if it is. */
export function publicUrlProblem(given: unknown): string | null {
  const advice =
    'must be an absolute http or https URL without user name, query and fragment, such as "https://api.example"';
  if (typeof given !== 'string' || !URL.canParse(given)) return advice;
  const { protocol, username, password, search, hash } = new URL(given);
  const isPlain = username + password === '' && !/[?#]/.test(given) && search + hash === '';
  return (protocol === 'https:' || protocol === 'http:') && isPlain ? null : advice;
}

/** Why a value is not a valid webhook URL; null if it is. */
export function webhookUrlProblem(given: unknown): string | null {
  const advice =
    'must be an absolute http or https URL without user name and password, such as "https://shop.example/hooks", or null for none';
  if (typeof given !== 'string' || !URL.canParse(given)) return advice;
  const { protocol, username, password } = new URL(given);
  return (protocol === 'https:' || protocol === 'http:') && username === '' && password === '' ? null : advice;
}
