import { ENDPOINTS } from '@gateramp/core/http';

const TEMPLATES = [...new Set(ENDPOINTS.map(({ path }) => path))].map((path) => ({ path, segments: path.split('/') }));
const EXACT = new Set(TEMPLATES.map(({ path }) => path));

/**
 * The template a path is of, or `none`. Paths hold ids and what strangers make up without end: a log would keep it, and a metric's
 * label would fill the memory with it.
 */
export function routeOf(path: string): string {
  if (EXACT.has(path)) return path;
  const given = path.split('/');
  const fits = ({ segments }: (typeof TEMPLATES)[number]): boolean =>
    segments.length === given.length &&
    segments.every((segment, at) => segment.startsWith('{') || segment === given[at]);
  return TEMPLATES.find(fits)?.path ?? 'none';
}
