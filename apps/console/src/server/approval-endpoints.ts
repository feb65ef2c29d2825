import type { Gate } from '@gateramp/core';
import { err, ok, type Result } from 'neverthrow';
import * as z from 'zod';
import { endpoint } from './endpoint.js';
import { NOTHING_HERE, refuse, type Refusal } from './refusal.js';
import { includes, ROLES } from './roles.js';
import { ACTOR, isoOrNull, list, listOf, MODE, TIME } from './schemas.js';
import { sees, type Visitor } from './visitor.js';

type Approvals = Gate['console']['approvals'];
export type Approval = NonNullable<Awaited<ReturnType<Approvals['find']>>>;

export const APPROVAL = z
  .object({
    object: z.literal('approval'),
    id: z.string(),
    operation: z.string().describe('The operation of this API that makes the change.'),
    partner_id: z.string().nullable(),
    mode: MODE.nullable(),
    change: z
      .object({ params: z.record(z.string(), z.string()), body: z.record(z.string(), z.unknown()) })
      .describe('The parameters of its path and its body: exactly what is made once it is approved.'),
    reason: z.string(),
    role: z.enum(ROLES).describe('The lowest role that can approve it.'),
    collected_by_requester: z.boolean().describe('Whether the result is for the person who requested it alone.'),
    digest: z.string().describe('Of the change. An approval names it.'),
    state: z.enum(['pending', 'approved', 'declined', 'expired', 'done', 'failed']),
    requested_by: ACTOR,
    requested_at: TIME,
    expires_at: TIME,
    decided_by: ACTOR.nullable(),
    decided_at: TIME.nullable(),
    note: z.string().nullable().describe('Why it was declined, or why the approved change was refused.'),
    can: z
      .object({ approve: z.boolean(), decline: z.boolean(), collect: z.boolean() })
      .describe('What the caller can do with it now.'),
  })
  .meta({ id: 'Approval', description: 'A change that needs a second person, and what became of it.' });

export function approvalJson(approval: Approval, visitor: Visitor): z.input<typeof APPROVAL> {
  const { id, operation, partnerId, mode, change, reason, role, digest, state } = approval;
  const isPending = state === 'pending';
  const isOwn = isRequester(approval, visitor);
  return {
    object: 'approval',
    ...{ id, operation, mode, reason, role, digest, state },
    partner_id: partnerId,
    // Written by this server, which keeps nothing else.
    change: change as z.input<typeof APPROVAL>['change'],
    collected_by_requester: approval.isCollected,
    requested_by: approval.requestedBy,
    requested_at: new Date(approval.requestedAt).toISOString(),
    expires_at: new Date(approval.expiresAt).toISOString(),
    decided_by: approval.decidedBy,
    decided_at: isoOrNull(approval.decidedAt),
    note: approval.note,
    can: {
      approve: isPending && !isOwn && includes(visitor.role, role),
      decline: isPending && (isOwn || includes(visitor.role, role)),
      collect: state === 'approved' && approval.isCollected && isOwn,
    },
  };
}

function isRequester({ requestedBy }: Approval, { actor }: Visitor): boolean {
  return requestedBy.type === actor.type && requestedBy.id === actor.id;
}

/** Operators see the requests about partners that they see; users of a partner those of their own scope. */
function isSeen({ partnerId, mode }: Approval, visitor: Visitor): boolean {
  const { scope } = visitor;
  if (scope !== null) return partnerId === scope.partnerId && mode === scope.mode;
  return partnerId === null ? visitor.partners === null : sees(visitor, partnerId);
}

async function seen(approvals: Approvals, visitor: Visitor, id: string | undefined): Promise<Approval | null> {
  const found = await approvals.find(id ?? '');
  return found !== null && isSeen(found, visitor) ? found : null;
}

type Outcome = Awaited<ReturnType<Approvals['approve']>>;

function refusalOf(outcome: Outcome): Result<never, Refusal> {
  switch (outcome.kind) {
    case 'own':
      return refuse(
        'second_person_required',
        'This needs a second person: not the one who requested it, and nobody whom that person invited.',
      );
    case 'changed':
      return refuse('approval_changed', 'The digest is not that of this change. Read the approval again.');
    case 'closed':
      return refuse('approval_closed', `This request is ${outcome.approval.state}; it cannot be decided any more.`);
    default:
      return err(NOTHING_HERE);
  }
}

const CHANGE = { method: 'POST', audience: 'visitor', query: null, reply: APPROVAL, success: 200 } as const;

export const APPROVAL_ENDPOINTS = [
  endpoint({
    name: 'listApprovals',
    method: 'GET',
    path: '/approvals',
    summary: 'List changes that need a second person, newest first, of the last 30 days',
    audience: 'visitor',
    needs: 'viewer',
    reason: 'never',
    query: null,
    body: null,
    reply: listOf(APPROVAL),
    success: 200,
    run: async ({ door, visitor, path }) => {
      const all = await door.approvals.list(visitor.scope);
      const data = all.filter((one) => isSeen(one, visitor)).map((one) => approvalJson(one, visitor));
      return ok({ json: list(data, path) });
    },
  }),
  endpoint({
    name: 'retrieveApproval',
    method: 'GET',
    path: '/approvals/{id}',
    summary: 'Retrieve a change that needs a second person',
    audience: 'visitor',
    needs: 'viewer',
    reason: 'never',
    query: null,
    body: null,
    reply: APPROVAL,
    success: 200,
    run: async ({ door, visitor, params }) => {
      const found = await seen(door.approvals, visitor, params['id']);
      return found === null ? err(NOTHING_HERE) : ok({ json: approvalJson(found, visitor) });
    },
  }),
  endpoint({
    ...CHANGE,
    name: 'approveChange',
    path: '/approvals/{id}/approve',
    summary: 'Approve a change that another person requested, which makes it',
    needs: 'operator',
    reason: 'never',
    body: z.object({ digest: z.string().max(200).describe('The digest of the change that is approved.') }),
    run: async ({ door, visitor, params, body: { digest }, perform }) => {
      const found = await seen(door.approvals, visitor, params['id']);
      if (found === null) return err(NOTHING_HERE);
      if (!includes(visitor.role, found.role))
        return refuse('insufficient_role', `Approving this needs the role ${found.role}; you have ${visitor.role}.`);
      const outcome = await door.approvals.approve(found.id, digest, { vouchedBy: visitor.vouchedBy });
      if (outcome.kind !== 'approved') return refusalOf(outcome);
      const { approval } = outcome;
      if (approval.isCollected) return ok({ json: approvalJson(approval, visitor) });
      const made = await perform(approval);
      const finished = await door.approvals.finish(approval.id, made.isErr() ? made.error.message : null);
      return made.map(() => ({ json: approvalJson(finished ?? approval, visitor) }));
    },
  }),
  endpoint({
    ...CHANGE,
    name: 'declineChange',
    path: '/approvals/{id}/decline',
    summary: 'Decline a change; the person who requested it withdraws it',
    needs: 'operator',
    reason: 'always',
    body: z.object({}),
    run: async ({ door, visitor, params, reason }) => {
      const found = await seen(door.approvals, visitor, params['id']);
      if (found === null) return err(NOTHING_HERE);
      if (!isRequester(found, visitor) && !includes(visitor.role, found.role))
        return refuse('insufficient_role', `Declining this needs the role ${found.role}; you have ${visitor.role}.`);
      const outcome = await door.approvals.decline(found.id, reason ?? '');
      return outcome.kind === 'declined' ? ok({ json: approvalJson(outcome.approval, visitor) }) : refusalOf(outcome);
    },
  }),
  endpoint({
    ...CHANGE,
    name: 'collectChange',
    path: '/approvals/{id}/collect',
    summary: 'Make an approved change whose result is for the person who requested it, once',
    needs: 'operator',
    reason: 'never',
    body: null,
    reply: z
      .object({ approval: APPROVAL, text: z.string().describe('The key. It cannot be shown again.') })
      .meta({ id: 'CollectedChange' }),
    run: async ({ door, visitor, params, perform }) => {
      const found = await seen(door.approvals, visitor, params['id']);
      if (found === null || !isRequester(found, visitor)) return err(NOTHING_HERE);
      const taken = await door.approvals.collect(found.id);
      if (taken === null)
        return refuse('approval_closed', `This request is ${found.state}; there is nothing to collect.`);
      const made = await perform(taken);
      if (made.isErr()) await door.approvals.finish(taken.id, made.error.message);
      return made.map((answer) => {
        const json = answer instanceof Response ? {} : answer.json;
        return { json: { approval: approvalJson(taken, visitor), ...textOf(json) } };
      });
    },
  }),
];

function textOf(json: unknown): { readonly text: string } {
  const text = typeof json === 'object' && json !== null && 'text' in json ? json.text : '';
  return { text: typeof text === 'string' ? text : '' };
}
