import { routesOf } from '@gateramp/core/http';
import { extensionsOf } from './gate.js';

const TEMPLATES = [...new Set(routesOf(extensionsOf()).endpoints.map(({ path }) => path))].map((path) => ({
  path,
  segments: path.split('/'),
}));
const EXACT = new Set(TEMPLATES.map(({ path }) => path));

/**
 * The template of a path, or `none`. Paths contain ids and arbitrary text: they do not belong in a log, and as
 * metric labels they would use unlimited memory.
 */
export function routeOf(path: string): string {
  if (EXACT.has(path)) return path;
  const given = path.split('/');
  const fits = ({ segments }: (typeof TEMPLATES)[number]): boolean =>
    segments.length === given.length &&
    segments.every((segment, at) => segment.startsWith('{') || segment === given[at]);
  return TEMPLATES.find(fits)?.path ?? 'none';
}
