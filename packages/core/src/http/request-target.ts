/** How many segments a mount's prefix has; `/pay` has one. */
export function segmentsOf(prefix: string): number {
  return prefix.split('/').filter((segment) => segment !== '').length;
}

/**
 * The path beneath the mount and the query, as sent: nothing is decoded, normalised or parsed. The
 * prefix is cut by segments, since it may be parametric and the client may have encoded it.
 */
export function requestTarget(url: string, mountSegments = 0): { readonly path: string; readonly query: string } {
  const target = url.startsWith('/') ? url : originForm(url);
  const mark = target.indexOf('?');
  const path = mark < 0 ? target : target.slice(0, mark);
  return { path: below(path, mountSegments), query: mark < 0 ? '' : target.slice(mark + 1) };
}

function below(path: string, segments: number): string {
  let start = 0;
  for (let left = segments; left > 0; left -= 1) {
    start = path.indexOf('/', start + 1);
    if (start < 0) return '/';
  }
  return start === 0 ? path : path.slice(start);
}

/** Requests to a proxy name scheme and host too (`GET http://host/path`); the host is not looked at. */
function originForm(url: string): string {
  const path = url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i, '');
  return path.startsWith('?') || path === '' ? `/${path}` : path;
}
