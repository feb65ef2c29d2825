import { InvalidRequestError } from '../errors/classes.js';

type HeaderValues = Readonly<Record<string, string>>;

/** Header names are compared in lower case: two spellings of one name are one header. */
export const lowerCased = (headers: HeaderValues = {}): HeaderValues =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

/** Refuses headers that `fetch` would reject. Its error would count as a connection failure, which is retried. */
export function sendable(headers: HeaderValues): HeaderValues {
  for (const [name, value] of Object.entries(headers)) if (!canBeSent(name, value)) throw unsendable(name);
  return headers;
}

function canBeSent(name: string, value: string): boolean {
  try {
    return new Headers([[name, value]]).has(name);
  } catch {
    return false;
  }
}

/** Does not include the value, which may be a secret. */
const unsendable = (name: string): InvalidRequestError =>
  new InvalidRequestError({
    code: name === 'idempotency-key' ? 'idempotency_key_invalid' : 'invalid_header',
    message: `The header ${name} cannot be sent: it contains characters that are not allowed in a header.`,
  });
