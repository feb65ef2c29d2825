import type { Mode } from '@gateramp/core';
import { auditEntryResource } from '@gateramp/core/domain';
import { ok } from 'neverthrow';
import type { Gate } from './gate.js';
import * as z from 'zod';
import { endpoint } from './endpoint.js';
import { READS } from './roles.js';
import { ACTOR, list, listOf, MODE, TIME } from './schemas.js';

const ENTRY = z
  .object({
    object: z.literal('audit_entry'),
    id: z.string(),
    sequence: z.int(),
    at: TIME,
    actor: ACTOR,
    action: z.string(),
    target: z.object({ type: z.string(), id: z.string() }),
    changes: z
      .array(z.object({ member: z.string(), before: z.string().nullable(), after: z.string().nullable() }))
      .describe('What changed, as text; of secrets, the first characters. Empty in entries of earlier versions.'),
    partner_id: z.string().nullable(),
    mode: MODE.nullable(),
    reason: z.string().nullable(),
    request_id: z.string().nullable(),
    before_digest: z.string().nullable(),
    after_digest: z.string().nullable(),
    previous_digest: z.string().nullable(),
    digest: z.string(),
  })
  .meta({ id: 'AuditEntry', description: 'Who changed what, when and why.' });

/** The parameters of both lists. */
const PAGE = {
  action: z.string().min(1).max(64).optional().describe('An action such as `key.issue`, or all of a noun: `key`.'),
  actor: z.string().min(1).max(320).optional().describe('What this person, key or access changed.'),
  from: TIME.optional().describe('The first time, inclusive.'),
  to: TIME.optional().describe('The last time, exclusive.'),
  before: z.coerce.number().int().min(1).optional().describe('Continue after a page: the sequence of its last entry.'),
  limit: z.coerce.number().int().min(1).max(100).default(20),
};
type Page = z.output<z.ZodObject<typeof PAGE>>;

/** A page of what the visitor sees. */
async function pageOf(
  admin: Gate['admin'],
  seen: { readonly partnerId?: string; readonly mode?: Mode },
  { action, actor, from, to, before, limit }: Page,
  path: string,
) {
  const found = await admin.audit.list({
    ...seen,
    ...(action !== undefined && { action }),
    ...(actor !== undefined && { actor }),
    ...(from !== undefined && { from: Date.parse(from) }),
    ...(to !== undefined && { to: Date.parse(to) }),
    ...(before !== undefined && { before }),
    limit: limit + 1,
  });
  return ok({ json: list(found.slice(0, limit).map(auditEntryResource), path, found.length > limit) });
}

export const AUDIT_ENDPOINTS = [
  endpoint({
    name: 'listAudit',
    method: 'GET',
    path: '/audit',
    summary: 'List changes of this partner, newest first',
    audience: 'partner',
    needs: READS,
    reason: 'never',
    query: z.strictObject(PAGE),
    body: null,
    reply: listOf(ENTRY),
    success: 200,
    run: ({ admin, scope, query, path }) => pageOf(admin, scope, query, path),
  }),
  endpoint({
    name: 'listTrail',
    method: 'GET',
    path: '/trail',
    summary: 'List changes of the installation and of all partners, and sign-ins, newest first',
    audience: 'installation',
    needs: 'viewer',
    reason: 'never',
    query: z.strictObject(PAGE),
    body: null,
    reply: listOf(ENTRY),
    success: 200,
    run: ({ admin, query, path }) => pageOf(admin, {}, query, path),
  }),
];
