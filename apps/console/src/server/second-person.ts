import { err, ok, type Result } from 'neverthrow';
import type { Gate } from './gate.js';
import { type Approval, approvalJson, OPERATORS_DECIDE } from './approval-endpoints.js';
import type { AnyEndpoint, Asked } from './endpoint.js';
import { NOTHING_HERE, type Refusal } from './refusal.js';
import { includes, type Role } from './roles.js';
import { sees, type Visitor } from './visitor.js';

/** The part of a change that an approval stores. */
export interface Kept {
  readonly params: Readonly<Record<string, string>>;
  readonly body: unknown;
}

interface Requested extends Asked {
  readonly body: unknown;
  readonly visitor: Visitor;
  readonly reason: string;
  readonly requestId: string;
  readonly role: Role;
}

/**
 * Stores a live-mode change for a second person to decide on, or a request to operators, instead of executing it. Null for a change that
 * one person can make.
 */
export async function requestApproval(
  gate: Gate,
  { secondPerson, isPreview, name }: AnyEndpoint,
  { params, scope, legs, body, visitor, reason, requestId, role }: Requested,
): Promise<Result<unknown, Refusal> | null> {
  if (secondPerson === undefined || isPreview?.(body) === true) return null;
  const { isCollected, isRequired, about, check } = secondPerson;
  const concerns = scope ?? (await about?.({ params, scope, legs })) ?? null;
  const isKnown =
    concerns !== null &&
    sees(visitor, concerns.partnerId) &&
    (await gate.admin.findPartner(concerns.partnerId)) !== null;
  // The endpoint itself reports what is missing.
  if (about !== undefined && legs === null && concerns === null) return null;
  if (!isKnown) return err(NOTHING_HERE);
  const isRequest = OPERATORS_DECIDE.includes(name) && visitor.kind !== 'operator';
  if (concerns.mode === 'test' && !isRequest) return null;
  const call = { admin: gate.admin, body, params, scope, legs };
  if (!isRequest && isRequired !== undefined && !(await isRequired(call))) return null;
  const refused = (await check?.(call)) ?? null;
  if (refused !== null) return err(refused);
  const { approvals } = gate.console.as(visitor.actor, { reason, requestId });
  const approval = await approvals.request({
    operation: name,
    partnerId: concerns.partnerId,
    mode: scope?.mode ?? null,
    // The cast holds: the body is JSON that the schema has validated.
    change: { params, body: (body ?? {}) as Approval['change'] },
    reason,
    // Support may ask for what it may not decide about.
    role: isRequest || !includes(role, 'operator') ? 'operator' : role,
    isCollected,
  });
  return ok(approvalJson(approval, visitor));
}
