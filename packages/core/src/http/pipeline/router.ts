import type { AnyEndpoint } from '../endpoint.js';
import type { Host } from '../hosts.js';

export interface Match {
  readonly endpoint: AnyEndpoint;
  readonly params: Readonly<Record<string, string>>;
}

/** Finds endpoints by method and path. Paths are exact: no trailing slash, no case folding. */
export class Router {
  private readonly exact = new Map<string, AnyEndpoint>();
  private readonly templates = new Map<string, Template[]>();

  constructor(endpoints: readonly AnyEndpoint[]) {
    for (const endpoint of endpoints) {
      if (endpoint.path.includes('{')) this.addTemplate(endpoint);
      else this.exact.set(`${endpoint.method} ${endpoint.path}`, endpoint);
    }
  }

  find(method: string, path: string, host: Host): Match | null {
    const exact = this.exact.get(`${method} ${path}`);
    if (exact !== undefined) return exact.hosts.includes(host) ? { endpoint: exact, params: {} } : null;
    const segments = path.split('/');
    for (const template of this.templates.get(kindOf(method, segments)) ?? []) {
      if (!template.endpoint.hosts.includes(host)) continue;
      const params = match(template.segments, segments);
      if (params !== null) return { endpoint: template.endpoint, params };
    }
    return null;
  }

  /** The endpoint a preflight asks about, whatever its method. */
  findAny(path: string, host: Host): Match | null {
    return this.find('POST', path, host) ?? this.find('GET', path, host);
  }

  private addTemplate(endpoint: AnyEndpoint): void {
    const segments = endpoint.path.split('/');
    const kind = kindOf(endpoint.method, segments);
    this.templates.set(kind, [...(this.templates.get(kind) ?? []), { endpoint, segments }]);
  }
}

interface Template {
  readonly endpoint: AnyEndpoint;
  readonly segments: readonly string[];
}

/** A request can match only templates of its own method and number of segments. */
function kindOf(method: string, segments: readonly string[]): string {
  return `${method} ${segments.length}`;
}

/** Both have the same number of segments: a longer path than its template would match too. */
function match(template: readonly string[], segments: readonly string[]): Record<string, string> | null {
  const params: Record<string, string> = {};
  for (let at = 0; at < template.length; at += 1) {
    const expected = template[at] ?? '';
    const given = segments[at] ?? '';
    if (!expected.startsWith('{')) {
      if (expected !== given) return null;
      continue;
    }
    const value = decode(given);
    if (value === null || value === '') return null;
    params[expected.slice(1, -1)] = value;
  }
  return params;
}

function decode(segment: string): string | null {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return null;
  }
}
