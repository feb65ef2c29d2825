/** The path and query as sent: nothing is decoded, normalised or parsed. */
export function requestTarget(url: string): { readonly path: string; readonly query: string } {
  const target = url.startsWith('/') ? url : originForm(url);
  const mark = target.indexOf('?');
  return mark < 0 ? { path: target, query: '' } : { path: target.slice(0, mark), query: target.slice(mark + 1) };
}

/** Requests to a proxy name scheme and host too (`GET http://host/path`); the host is not looked at. */
function originForm(url: string): string {
  const path = url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i, '');
  return path.startsWith('?') || path === '' ? `/${path}` : path;
}
