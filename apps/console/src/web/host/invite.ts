/**
 * Takes the code of an invite from the address, `#code=…`, and removes it at once, so that neither the history nor a bookmark keeps it.
 * Null without one.
 */
export function takeInvite({ location, history }: Pick<Window, 'location' | 'history'>): string | null {
  const code = new URLSearchParams(location.hash.slice(1)).get('code');
  if (code === null) return null;
  history.replaceState(null, '', `${location.pathname}${location.search}`);
  return code;
}
