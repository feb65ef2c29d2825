import { UsageError } from './exit-codes.js';

/** Parses an address as people type it: `localhost:3000/hooks`, or only a port. */
export function urlOf(text: string): string {
  const whole = /^\d+$/.test(text) ? `http://localhost:${text}` : /^[a-z]+:\/\//i.test(text) ? text : `http://${text}`;
  const url = URL.canParse(whole) ? new URL(whole) : null;
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new UsageError(`"${text}" is not a URL. Use a URL such as localhost:3000/hooks.`);
  return url.href;
}
