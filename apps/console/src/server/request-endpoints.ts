import { err, ok } from 'neverthrow';
import * as z from 'zod';
import { endpoint } from './endpoint.js';
import { NOTHING_HERE } from './refusal.js';
import { READS } from './roles.js';
import { list, listOf, TIME } from './schemas.js';

const REFUSED_REQUEST = z
  .object({
    object: z.literal('refused_request'),
    id: z.string(),
    request_id: z.string(),
    at: TIME,
    method: z.string(),
    route: z.string().describe('The template of the path.'),
    object_id: z.string().nullable().describe('The session, transaction or other object that the request named.'),
    status: z.int(),
    code: z.string(),
    fields: z.array(z.string()).describe('The invalid fields, by their names.'),
  })
  .meta({
    id: 'RefusedRequest',
    description:
      'A request of the last seven days that was answered with an error. Kept if the policy of the gate says so, 60 a minute at most.',
  });

type Row = Awaited<
  ReturnType<Parameters<Parameters<typeof endpoint>[0]['run']>[0]['admin']['refusedRequests']['list']>
>[number];

function resourceOf({ id, requestId, createdAt, method, route, objectId, status, code, fields }: Row) {
  return {
    object: 'refused_request',
    id,
    request_id: requestId,
    at: new Date(createdAt).toISOString(),
    method,
    route,
    object_id: objectId,
    status,
    code,
    fields,
  };
}

/** Requests that were answered with an error, to find the cause. */
export const REQUEST_ENDPOINTS = [
  endpoint({
    name: 'listRefusedRequests',
    method: 'GET',
    path: '/refused_requests',
    summary: 'List requests that were answered with an error, newest first',
    audience: 'partner',
    needs: READS,
    reason: 'never',
    query: z.strictObject({
      object_id: z.string().min(1).max(64).optional().describe('Only requests about this object.'),
      starting_after: z.string().min(1).max(64).optional().describe('Continue after a page: the id of its last one.'),
      limit: z.coerce.number().int().min(1).max(99).default(20),
    }),
    body: null,
    reply: listOf(REFUSED_REQUEST),
    success: 200,
    run: async ({ admin, scope, query: { object_id: objectId, starting_after: before, limit }, path }) => {
      const found = await admin.refusedRequests.list(scope, {
        limit: limit + 1,
        ...(objectId === undefined ? {} : { objectId }),
        ...(before === undefined ? {} : { before }),
      });
      return ok({ json: list(found.slice(0, limit).map(resourceOf), path, found.length > limit) });
    },
  }),
  endpoint({
    name: 'retrieveRefusedRequest',
    method: 'GET',
    path: '/refused_requests/{request_id}',
    summary: 'Retrieve a request that was answered with an error, by its X-Request-Id',
    audience: 'partner',
    needs: READS,
    reason: 'never',
    query: null,
    body: null,
    reply: REFUSED_REQUEST,
    success: 200,
    run: async ({ admin, scope, params }) => {
      const found = await admin.refusedRequests.find(scope, params['request_id'] ?? '');
      return found === null ? err(NOTHING_HERE) : ok({ json: resourceOf(found) });
    },
  }),
];
