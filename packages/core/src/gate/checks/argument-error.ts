import { isLoopback } from '../../domain/origin/origin.js';

/**
 * What a host has handed over cannot be worked with. All that is wrong is said at once, each with its place, what was expected and what it
 * looks like instead; no value that may be secret is quoted.
 */
export class GateArgumentError extends TypeError {
  override readonly name = 'GateArgumentError';

  constructor(
    what: string,
    readonly problems: readonly string[],
  ) {
    super(
      `${what} (${problems.length === 1 ? '1 problem' : `${problems.length} problems`}):\n${problems.map((problem) => `  - ${problem}`).join('\n')}`,
    );
  }
}

/** Throws all problems as one error, or does nothing. */
export function throwIfAny(what: string, ...problems: readonly (readonly string[])[]): void {
  const all = problems.flat();
  if (all.length > 0) throw new GateArgumentError(what, all);
}

/** What a value is, and never what it says. */
export function shapeOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value === 'string') return value === '' ? 'an empty string' : `a string of ${value.length} characters`;
  if (typeof value === 'number') return `the number ${value}`;
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** What is wrong with an origin, as it would be compared with what browsers send; null when nothing is. */
export function originProblem(given: unknown): string | null {
  const advice =
    'must be an exact origin such as "https://shop.example": scheme, host and port, no path, no trailing slash, no wildcard';
  if (typeof given !== 'string' || !URL.canParse(given)) return advice;
  const { origin, protocol, hostname } = new URL(given);
  if (origin !== given || hostname.includes('*'))
    return `${advice}${protocol.startsWith('http') && !hostname.includes('*') ? ` (perhaps "${origin}")` : ''}`;
  if (protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))) return null;
  return 'must use https; http is accepted for loopback only';
}

/** What is wrong with the address at which clients reach the API; null when nothing is. */
export function publicUrlProblem(given: unknown): string | null {
  const advice =
    'must be an absolute http or https URL without user name, query and fragment, such as "https://api.example"';
  if (typeof given !== 'string' || !URL.canParse(given)) return advice;
  const { protocol, username, password, search, hash } = new URL(given);
  const isPlain = username + password === '' && !/[?#]/.test(given) && search + hash === '';
  return (protocol === 'https:' || protocol === 'http:') && isPlain ? null : advice;
}

/** What is wrong with the URL of a webhook; null when nothing is. */
export function webhookUrlProblem(given: unknown): string | null {
  const advice =
    'must be an absolute http or https URL without user name and password, such as "https://shop.example/hooks", or null for none';
  if (typeof given !== 'string' || !URL.canParse(given)) return advice;
  const { protocol, username, password } = new URL(given);
  return (protocol === 'https:' || protocol === 'http:') && username === '' && password === '' ? null : advice;
}
