import { isLoopback } from '../../domain/origin/origin.js';

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
