import { hasBadCharacters } from '../../domain/json.js';
import type { FieldError, Refusal } from '../../domain/refusal.js';
import type { AnyEndpoint } from '../endpoint.js';
import { type Host, servesOn } from '../hosts.js';
import type { Page } from '../page.js';
import { firstOfEach } from '../schema/fields.js';

/** What a route table reads of an endpoint. */
export interface Route {
  readonly method: string;
  /** With `{name}` for parameters. */
  readonly path: string;
}

/** The endpoint of a request, and the decoded parameters of its path. */
export interface Match<Endpoint extends Route = AnyEndpoint> {
  readonly endpoint: Endpoint;
  readonly params: Readonly<Record<string, string>>;
}

/** Endpoints by method and path. Matching is exact: no trailing slash, no case folding. A fixed path comes before templates. */
export class RouteTable<Endpoint extends Route> {
  private readonly methods: ReadonlySet<string>;
  private readonly exact = new Map<string, Endpoint>();
  private readonly templates = new Map<string, Template<Endpoint>[]>();

  constructor(endpoints: readonly Endpoint[]) {
    this.methods = new Set(endpoints.map(({ method }) => method));
    for (const endpoint of endpoints) {
      if (endpoint.path.includes('{')) this.addTemplate(endpoint);
      else this.exact.set(`${endpoint.method} ${endpoint.path}`, endpoint);
    }
  }

  /** Null if no endpoint matches that `isServed`. `HEAD` finds the endpoint of `GET`. */
  find(method: string, path: string, isServed: (endpoint: Endpoint) => boolean = always): Match<Endpoint> | null {
    const served = method === 'HEAD' ? 'GET' : method;
    const exact = this.exact.get(`${served} ${path}`);
    if (exact !== undefined) return isServed(exact) ? { endpoint: exact, params: {} } : null;
    const segments = path.split('/');
    for (const { endpoint, segments: template } of this.templates.get(kindOf(served, segments)) ?? []) {
      if (!isServed(endpoint)) continue;
      const params = match(template, segments);
      if (params !== null) return { endpoint, params };
    }
    return null;
  }

  /** Whether the path exists, under any method. */
  has(path: string): boolean {
    return [...this.methods].some((method) => this.find(method, path) !== null);
  }

  private addTemplate(endpoint: Endpoint): void {
    const segments = endpoint.path.split('/');
    const kind = kindOf(endpoint.method, segments);
    this.templates.set(kind, [...(this.templates.get(kind) ?? []), { endpoint, segments }]);
  }
}

const always = (): boolean => true;

/** Finds the endpoints of each host, and pages, by method and path. */
export class Router {
  /** The path of the page that `doc_url` of errors leads to; null if there is none. */
  readonly errorPath: string | null;
  private readonly pages: ReadonlyMap<string, Page>;
  private readonly routes: RouteTable<AnyEndpoint>;

  constructor(endpoints: readonly AnyEndpoint[], pages: readonly Page[] = []) {
    this.pages = new Map(pages.map((page) => [page.path, page]));
    this.errorPath = pages.find(({ explainsErrors = false }) => explainsErrors)?.path ?? null;
    this.routes = new RouteTable(endpoints);
  }

  find(method: string, path: string, host: Host): Match | null {
    return this.routes.find(method, path, (endpoint) => servesOn(endpoint, host));
  }

  /** A page, which every host has. */
  findPage(method: string, path: string): Page | null {
    return method === 'GET' || method === 'HEAD' ? (this.pages.get(path) ?? null) : null;
  }

  /** The endpoint of a preflight request, by path only. */
  findAny(path: string, host: Host): Match | null {
    return this.find('POST', path, host) ?? this.find('GET', path, host);
  }
}

interface Template<Endpoint> {
  readonly endpoint: Endpoint;
  readonly segments: readonly string[];
}

/** A request can match only templates of its own method and number of segments. */
function kindOf(method: string, segments: readonly string[]): string {
  return `${method} ${segments.length}`;
}

/** Requires the same number of segments, because only the template's segments are compared. */
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

/** One refusal for all invalid parameters; if all are unknown, with its own code. */
export function queryRefusal(fields: readonly FieldError[]): Refusal<'validation_failed' | 'unknown_parameter'> {
  const code = fields.every((field) => field.code === 'unknown_parameter') ? 'unknown_parameter' : 'validation_failed';
  return { code, message: fields[0]?.message ?? 'The query is not valid.', fields: firstOfEach(fields) };
}

/** The number of segments in a mount prefix; 1 for `/pay`. */
export function segmentsOf(prefix: string): number {
  return prefix.split('/').filter((segment) => segment !== '').length;
}

/**
 * Splits a URL into mount prefix, path and query, all as sent: nothing is decoded, normalized or parsed. The prefix is cut by segments,
 * because it may be parametric and percent-encoded.
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

/**
 * Removes scheme and host, which requests to a proxy contain (`GET http://host/path`). The host is ignored; path and query stay as sent.
 */
export function originForm(url: string): string {
  const path = url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i, '');
  return path.startsWith('?') || path === '' ? `/${path}` : path;
}

/** A path parameter of the endpoint's template. Values that no store accepts become the empty id, which matches nothing. */
export function param(params: Readonly<Record<string, string>>, name: string): string {
  const value = params[name];
  if (value === undefined) throw new Error(`The path template has no {${name}}.`);
  return hasBadCharacters(value) ? '' : value;
}
