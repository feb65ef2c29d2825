import { actorResource, isSameIdentity } from '@gateramp/core/domain';
import { err, ok, type Result } from 'neverthrow';
import * as z from 'zod';
import type { Gate } from './gate.js';
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
      .describe('Path parameters and body of the request, executed exactly as shown once approved.'),
    reason: z.string(),
    role: z.enum(ROLES).describe('The lowest role that can approve it.'),
    collected_by_requester: z.boolean().describe('Whether only the requester can collect the result.'),
    digest: z.string().describe('Digest of the change. Send it to approve the change.'),
    state: z.enum(['pending', 'approved', 'declined', 'expired', 'done', 'failed']),
    requested_by: ACTOR,
    requested_at: TIME,
    expires_at: TIME,
    decided_by: ACTOR.nullable(),
    decided_at: TIME.nullable(),
    note: z.string().nullable().describe('Why the change was declined, or why it failed after approval.'),
    can: z
      .object({ approve: z.boolean(), decline: z.boolean(), collect: z.boolean() })
      .describe('Actions available to the caller.'),
  })
  .meta({ id: 'Approval', description: 'A change that requires a second person, and its outcome.' });

export function approvalJson(approval: Approval, visitor: Visitor): z.input<typeof APPROVAL> {
  const { id, operation, partnerId, mode, change, reason, role, digest, state } = approval;
  const isPending = state === 'pending';
  const isOwn = isRequester(approval, visitor);
  return {
    object: 'approval',
    ...{ id, operation, mode, reason, role, digest, state },
    partner_id: partnerId,
    // The cast holds: only `requestApproval` writes it.
    change: change as z.input<typeof APPROVAL>['change'],
    collected_by_requester: approval.isCollected,
    requested_by: actorResource(approval.requestedBy),
    requested_at: new Date(approval.requestedAt).toISOString(),
    expires_at: new Date(approval.expiresAt).toISOString(),
    decided_by: approval.decidedBy === null ? null : actorResource(approval.decidedBy),
    decided_at: isoOrNull(approval.decidedAt),
    note: approval.note,
    can: {
      approve: isPending && !isOwn && mayDecide(approval, visitor).isOk(),
      decline: isPending && (isOwn || mayDecide(approval, visitor).isOk()),
      collect: state === 'approved' && approval.isCollected && isOwn,
    },
  };
}

/** Changes that users of a partner can only request, in both modes: operators decide about them. */
export const OPERATORS_DECIDE: readonly string[] = ['refundTransaction', 'replaceDomains'];

function mayDecide({ operation, role }: Approval, visitor: Visitor): Result<null, Refusal> {
  if (OPERATORS_DECIDE.includes(operation) && visitor.kind !== 'operator')
    return refuse('insufficient_role', 'Operators of the installation decide about this request.');
  return includes(visitor.role, role)
    ? ok(null)
    : refuse('insufficient_role', `Deciding about this needs the role ${role}; you have ${visitor.role}.`);
}

function isRequester({ requestedBy }: Approval, { actor }: Visitor): boolean {
  return isSameIdentity(requestedBy, actor);
}

/** Operators see requests about the partners that they can access; users of a partner see those of their own scope. */
function isSeen({ partnerId, mode }: Approval, visitor: Visitor): boolean {
  const { scope } = visitor;
  if (scope !== null) return partnerId === scope.partnerId && mode === scope.mode;
  return partnerId === null ? visitor.partners === null : sees(visitor, partnerId);
}

export async function seen(approvals: Approvals, visitor: Visitor, id: string | undefined): Promise<Approval | null> {
  const found = await approvals.find(id ?? '');
  return found !== null && isSeen(found, visitor) ? found : null;
}

type Outcome = Awaited<ReturnType<Approvals['approve']>>;

function refusalOf(outcome: Outcome): Result<never, Refusal> {
  switch (outcome.kind) {
    case 'own':
      return refuse(
        'second_person_required',
        'A second person must approve this change. You cannot approve your own request, or that of a person who counts as you through invitations.',
      );
    case 'changed':
      return refuse('approval_changed', 'The digest does not match this change. Retrieve the approval again.');
    case 'closed':
      return refuse('approval_closed', `This request is ${outcome.approval.state} and can no longer be decided.`);
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
    summary: 'List the newest 100 changes of the last 30 days that require a second person',
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
    summary: 'Retrieve a change that requires a second person',
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
    summary: 'Approve and execute a change that another person requested',
    needs: 'operator',
    reason: 'never',
    body: z.object({ digest: z.string().max(200).describe('The digest of the change to approve.') }),
    run: async ({ door, visitor, params, body: { digest }, perform }) => {
      const found = await seen(door.approvals, visitor, params['id']);
      if (found === null) return err(NOTHING_HERE);
      const allowed = mayDecide(found, visitor);
      if (allowed.isErr()) return err(allowed.error);
      const outcome = await door.approvals.approve(found.id, digest);
      if (outcome.kind !== 'approved') return refusalOf(outcome);
      const { approval } = outcome;
      if (approval.isCollected) return ok({ json: approvalJson(approval, visitor) });
      const made = await perform(approval);
      const finished = await recorded(door.approvals, approval, made);
      return made.map(() => ({ json: approvalJson(finished ?? approval, visitor) }));
    },
  }),
  endpoint({
    ...CHANGE,
    name: 'declineChange',
    path: '/approvals/{id}/decline',
    summary: 'Decline a change, or withdraw your own request',
    needs: 'support',
    reason: 'always',
    body: z.object({}),
    run: async ({ door, visitor, params, reason }) => {
      const found = await seen(door.approvals, visitor, params['id']);
      if (found === null) return err(NOTHING_HERE);
      const allowed = isRequester(found, visitor) ? ok(null) : mayDecide(found, visitor);
      if (allowed.isErr()) return err(allowed.error);
      const outcome = await door.approvals.decline(found.id, reason ?? '');
      return outcome.kind === 'declined' ? ok({ json: approvalJson(outcome.approval, visitor) }) : refusalOf(outcome);
    },
  }),
  endpoint({
    ...CHANGE,
    name: 'collectChange',
    path: '/approvals/{id}/collect',
    summary: 'Execute an approved change and collect its result, once, as its requester',
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
        return refuse('approval_closed', `This request is ${found.state} and has no result to collect.`);
      const made = await perform(taken);
      const finished = await recorded(door.approvals, taken, made);
      return made.map((answer) => {
        const json = answer instanceof Response ? {} : answer.json;
        return { json: { approval: approvalJson(finished ?? taken, visitor), ...textOf(json) } };
      });
    },
  }),
];

/** Records the outcome of an approved change. A change that was overtaken by others was not made: it stays approved, to be tried again. */
async function recorded(
  approvals: Approvals,
  { id }: Approval,
  made: Result<unknown, Refusal>,
): Promise<Approval | null> {
  if (made.isOk()) return approvals.finish(id, null);
  const { code, message } = made.error;
  if (code === 'try_again') return null;
  // An earlier call may have made the change and died before `finish`: then it is done, but its result is lost.
  return approvals.finish(id, code === 'approval_closed' ? null : message);
}

function textOf(json: unknown): { readonly text: string } {
  const text = typeof json === 'object' && json !== null && 'text' in json ? json.text : '';
  return { text: typeof text === 'string' ? text : '' };
}
