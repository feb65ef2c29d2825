/** How many segments a mount's prefix has; `/pay` has one. */
export function segmentsOf(prefix: string): number {
  return prefix.split('/').filter((segment) => segment !== '').length;
}

/**
 * The mount's prefix, the path beneath it and the query, as sent: nothing is decoded, normalised or parsed. The
 * prefix is cut by segments, since it may be parametric and the client may have encoded it.
 */
export function requestTarget(
  url: string,
  mountSegments = 0,
): { readonly prefix: string; readonly path: string; readonly query: string } {
  const target = url.startsWith('/') ? url : originForm(url);
  const mark = target.indexOf('?');
  const whole = mark < 0 ? target : target.slice(0, mark);
  const end = prefixEnd(whole, mountSegments);
  const path = whole.slice(end);
  return { prefix: whole.slice(0, end), path: path === '' ? '/' : path, query: mark < 0 ? '' : target.slice(mark + 1) };
}

function prefixEnd(path: string, segments: number): number {
  let end = 0;
  for (let left = segments; left > 0; left -= 1) {
    end = path.indexOf('/', end + 1);
    if (end < 0) return path.length;
  }
  return end;
}

/** Requests to a proxy name scheme and host too (`GET http://host/path`); the host is not looked at. Path and query are as sent. */
export function originForm(url: string): string {
  const path = url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i, '');
  return path.startsWith('?') || path === '' ? `/${path}` : path;
}
