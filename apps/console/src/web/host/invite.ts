import type { Link } from '../app/app.js';

/**
 * Takes the code of a one-time link from the address, `#code=…` or `#enroll=…`, and removes it at once, so that neither the history nor a
 * bookmark keeps it. Null without one.
 */
export function takeLink({ location, history }: Pick<Window, 'location' | 'history'>): Link | null {
  const fields = new URLSearchParams(location.hash.slice(1));
  const link = linkOf('session', fields.get('code')) ?? linkOf('passkey', fields.get('enroll'));
  if (link !== null) history.replaceState(null, '', `${location.pathname}${location.search}`);
  return link;
}

export const isLink = (fragment: string): boolean => /^#(code|enroll)=/.test(fragment);

const linkOf = (purpose: Link['for'], code: string | null): Link | null =>
  code === null ? null : { for: purpose, code };
