import { POOL_ROUTES } from '../../contract/pools/pool-routes.js';
import { ROUTES } from '../../../packages/conformance/src/http/routes.js';

/** The route template of a path; the path itself for an unknown route. */
export function templateOf(path: string): string {
  const [pathname = ''] = path.split('?');
  const segments = pathname.split('/');
  const found = [...ROUTES, ...POOL_ROUTES].find(({ template }) => {
    const parts = template.split('/');
    return (
      parts.length === segments.length && parts.every((part, index) => part.startsWith('{') || part === segments[index])
    );
  });
  return found?.template ?? pathname;
}
