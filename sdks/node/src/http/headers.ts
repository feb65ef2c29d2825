import { InvalidRequestError } from '../errors/classes.js';

type HeaderValues = Readonly<Record<string, string>>;

/** Names as they are compared: two spellings of one name are one header. */
export const lowerCased = (headers: HeaderValues = {}): HeaderValues =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

/** Refuses what `fetch` would refuse too, as if the connection had failed, so that it would be tried again. */
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

/** Without the value, which may be a secret. */
const unsendable = (name: string): InvalidRequestError =>
  new InvalidRequestError({
    code: name === 'idempotency-key' ? 'idempotency_key_invalid' : 'invalid_header',
    message: `The header ${name} cannot be sent: it contains characters that are not allowed in a header.`,
  });
