import { isRecord } from '@gateramp/core/domain';
import { routesOf } from '@gateramp/core/http';
import { openApiDocument } from '@gateramp/extensions/api-document';
import { pools } from '@gateramp/extensions/pools';
import { sandbox } from '@gateramp/extensions/sandbox';
import type { Members } from './answer.js';

/** The hosts by name, as `x-hosts` names them. */
export type HostName = 'test' | 'live' | 'pools';

/** The parts of an operation that responses are checked against. */
export interface Operation {
  /** `GET /v1/…`, with the template of the path. */
  readonly name: string;
  readonly method: string;
  readonly segments: readonly string[];
  readonly hosts: readonly HostName[];
  /** The accepted security schemes; empty for public endpoints. */
  readonly security: readonly string[];
  /** The scope that a restricted secret key needs; null where every key may call. */
  readonly scope: string | null;
  /** By status, and `default`. */
  readonly responses: Members;
  /** The position in the document as a JSON pointer. */
  readonly pointer: string;
}

/** What a test gate serves. */
export const SERVED = routesOf([pools(), sandbox()]);

/** The document that responses are checked against. Closed, so that an undocumented member is an error. */
export const DOCUMENT: Members = openApiDocument({ closed: true, routes: SERVED });

export const OPERATIONS: readonly Operation[] = Object.entries(membersIn(DOCUMENT, 'paths')).flatMap(
  ([template, methods]) => (isRecord(methods) ? operationsAt(template, methods) : []),
);

function operationsAt(template: string, methods: Members): readonly Operation[] {
  return Object.entries(methods).map(([method, operation]) => {
    const hosts = isRecord(operation) ? operation['x-hosts'] : null;
    if (!isRecord(operation) || !Array.isArray(hosts)) throw new Error(`${method} ${template} names no hosts.`);
    return {
      name: `${method.toUpperCase()} ${template}`,
      method: method.toUpperCase(),
      segments: template.split('/'),
      // `x-hosts` is generated from the endpoint's `hosts`.
      hosts: hosts as readonly HostName[],
      security: schemesOf(operation['security']),
      scope: scopeIn(operation['security']),
      responses: membersIn(operation, 'responses'),
      pointer: `/paths/${template.replaceAll('/', '~1')}/${method}`,
    };
  });
}

function schemesOf(security: unknown): readonly string[] {
  return Array.isArray(security) ? security.filter(isRecord).flatMap((one) => Object.keys(one)) : [];
}

function scopeIn(security: unknown): string | null {
  const requirements = Array.isArray(security) ? security.filter(isRecord) : [];
  const roles = requirements.flatMap((one) => one['secret']);
  return typeof roles[0] === 'string' ? roles[0] : null;
}

function membersIn(members: Members, name: string): Members {
  const value = members[name];
  if (!isRecord(value)) throw new Error(`The document has no ${name}.`);
  return value;
}

/** The operation of a request, if the document has one on that host. HEAD is treated as GET. */
export function operationOf(method: string, path: string, host: HostName): Operation | null {
  const wireMethod = method === 'HEAD' ? 'GET' : method;
  const segments = (path.split('?')[0] ?? '').split('/');
  const served = OPERATIONS.filter((one) => one.method === wireMethod && one.hosts.includes(host));
  const fits = served.filter((one) => fitsTemplate(one.segments, segments));
  // A path without parameters takes precedence over a matching template.
  return fits.find((one) => !one.name.includes('{')) ?? fits[0] ?? null;
}

function fitsTemplate(template: readonly string[], given: readonly string[]): boolean {
  if (template.length !== given.length) return false;
  return template.every((expected, at) => (expected.startsWith('{') ? isText(given[at]) : expected === given[at]));
}

function isText(segment: string | undefined): boolean {
  if (segment === undefined || segment === '') return false;
  try {
    return decodeURIComponent(segment) !== '';
  } catch {
    return false;
  }
}
