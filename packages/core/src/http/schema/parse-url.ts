import type { ParsedUrl } from '../../domain/origin/origin.js';

/** A URL that every browser would read alike; null for any other text. */
export function parseUrl(text: string): ParsedUrl | null {
  // The parser trims and drops what a browser later would too; a URL that holds such is a mistake.
  if (/[\s\p{Cc}\\]/u.test(text) || HIDDEN_RELATIVE.test(text) || !URL.canParse(text)) return null;
  const url = new URL(text);
  return {
    protocol: url.protocol,
    hostname: url.hostname,
    origin: url.origin,
    hasCredentials: url.username !== '' || url.password !== '',
  };
}

/** `https:host` and the like: absolute to a parser alone, but relative to the page that later follows it. */
const HIDDEN_RELATIVE = /^https?:(?!\/\/[^/])/i;
