/** How the session cookie is named and sent. */
export interface CookieKind {
  readonly name: string;
  readonly attributes: string;
}

/**
 * On https the name makes the browser insist on `Secure`, `Path=/` and no `Domain`, so that no other host of the domain can set it. A page
 * that may be framed needs a cookie that crosses sites: it is partitioned by the framing site, and the API refuses cross-site changes.
 */
export function cookieKind(origin: URL, isFramed: boolean): CookieKind {
  const isSecure = origin.protocol === 'https:';
  const site = isFramed && isSecure ? 'SameSite=None; Partitioned' : 'SameSite=Strict';
  return {
    name: isSecure ? '__Host-gate_console' : 'gate_console',
    attributes: `Path=/; HttpOnly; ${site}${isSecure ? '; Secure' : ''}`,
  };
}

export function setCookie({ name, attributes }: CookieKind, token: string, maxAgeMs: number): string {
  return `${name}=${token}; Max-Age=${Math.max(0, Math.floor(maxAgeMs / 1_000))}; ${attributes}`;
}

export function clearCookie({ name, attributes }: CookieKind): string {
  return `${name}=; Max-Age=0; ${attributes}`;
}

/** The token of a request; null without the cookie. */
export function readCookie({ name }: CookieKind, request: Request): string | null {
  for (const part of (request.headers.get('cookie') ?? '').split(';')) {
    const [key = '', ...value] = part.split('=');
    if (key.trim() === name) return value.join('=').trim();
  }
  return null;
}
