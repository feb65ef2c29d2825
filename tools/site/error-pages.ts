import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ERROR_CODES, type ErrorCode } from '@gateramp/core/domain';
import { errorType, STATUSES } from '@gateramp/core/http';

import { MEANINGS } from '../../packages/extensions/src/api-document/error-meanings.js';
import { errorOfAnswer } from '../../sdks/node/src/errors/error-of-answer.js';
import { retryDelayMs } from '../../sdks/node/src/http/retry.js';
import { root } from '../lib/workspaces.mjs';
import type { SitePage } from './pages.js';

/** A page for each error code and one that lists them, from the catalogue that the API itself answers with. */
export function errorPages(): readonly SitePage[] {
  const calls = callsByCode();
  return [indexPage(), ...ERROR_CODES.map((code) => errorPage(code, calls.get(code) ?? []))];
}

function indexPage(): SitePage {
  const rows = ERROR_CODES.toSorted((one, other) => STATUSES[one] - STATUSES[other]).map(
    (code) => `| ${STATUSES[code]} | [\`${code}\`](./${code}.md) | ${MEANINGS[code]} |`,
  );
  const text = [
    '# Error codes',
    '',
    'Every error has the same [envelope](../specification.md#errors). Branch on `code`, and log `request_id`.',
    '',
    '| status | code | meaning, and what to do |',
    '|---|---|---|',
    ...rows,
    '',
  ].join('\n');
  return { path: 'errors/index.md', title: 'Error codes', text };
}

function errorPage(code: ErrorCode, calls: readonly Call[]): SitePage {
  const status = STATUSES[code];
  const body = JSON.stringify({ type: errorType(status), code, message: '', request_id: '', statusCode: status });
  const thrown = errorOfAnswer({ status, body, url: '', requestId: null, retryAfterSeconds: null });
  const isRetried =
    retryDelayMs({ kind: 'answer', status, retryAfterSeconds: null }, { retriesMade: 0, maxRetries: 1, chance: 0 }) !==
    null;
  const text = [
    `# ${code}`,
    '',
    MEANINGS[code],
    '',
    `- Status: ${status}`,
    `- \`type\`: \`${errorType(status)}\``,
    `- In the SDKs: \`${thrown.name}\`, ${isRetried ? 'after retries with the same `Idempotency-Key`' : 'without a retry'}`,
    '',
    ...returnedBy(calls),
    'All codes are in [the list](./index.md).',
    '',
  ].join('\n');
  return { path: `errors/${code}.md`, title: code, text };
}

interface Call {
  readonly operation: string;
  readonly summary: string;
}

/** More calls than this are those of a check that most calls pass. */
const LISTED_MAX = 20;

function returnedBy(calls: readonly Call[]): readonly string[] {
  if (calls.length === 0) return [];
  if (calls.length > LISTED_MAX)
    return [`${calls.length} operations can return it, as most calls pass this check.`, ''];
  return ['Returned by:', '', ...calls.map(({ operation, summary }) => `- \`${operation}\`: ${summary}`), ''];
}

interface Operation {
  readonly summary: string;
  readonly responses: Readonly<Record<string, { readonly description: string }>>;
}

/** The calls of partners that can return each code, of `spec/openapi.json`, where each response names its codes. */
function callsByCode(): ReadonlyMap<string, readonly Call[]> {
  const { paths } = JSON.parse(readFileSync(join(root, 'spec/openapi.json'), 'utf8')) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  };
  const found = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { summary, responses }]) => {
      const codes = Object.values(responses).flatMap(({ description }) => description.split(', '));
      return [...new Set(codes)].map(
        (code) => [code, { operation: `${method.toUpperCase()} ${path}`, summary }] as const,
      );
    }),
  );
  return new Map(ERROR_CODES.map((code) => [code, found.flatMap(([of, call]) => (of === code ? [call] : []))]));
}
