import type { Gate, Scope } from '@gateramp/core';
import { err, ok, type Result } from 'neverthrow';
import { type Approval, approvalJson } from './approval-endpoints.js';
import type { AnyEndpoint } from './endpoint.js';
import { NOTHING_HERE, type Refusal } from './refusal.js';
import type { Role } from './roles.js';
import { sees, type Visitor } from './visitor.js';

/** Live mode only. Operators make some changes without a scope, all of which are live. */
export function isForTwo({ secondPerson }: AnyEndpoint, scope: Scope | null): boolean {
  return secondPerson !== undefined && scope?.mode !== 'test';
}

/** What an approval keeps of a change. */
export interface Kept {
  readonly params: Readonly<Record<string, string>>;
  readonly body: unknown;
}

interface Requested extends Kept {
  readonly scope: Scope | null;
  readonly visitor: Visitor;
  readonly reason: string;
  readonly requestId: string;
  readonly role: Role;
}

/** Keeps a change until a second person has decided about it, instead of making it. */
export async function requestApproval(
  gate: Gate,
  endpoint: AnyEndpoint,
  { params, scope, body, visitor, reason, requestId, role }: Requested,
): Promise<Result<unknown, Refusal>> {
  const { secondPerson, name } = endpoint;
  const partnerId = scope?.partnerId ?? secondPerson?.about?.({ params, scope }) ?? null;
  if (partnerId !== null && (!sees(visitor, partnerId) || (await gate.admin.findPartner(partnerId)) === null))
    return err(NOTHING_HERE);
  const refused = await secondPerson?.check?.({ admin: gate.admin, body, params, scope });
  if (refused !== undefined && refused !== null) return err(refused);
  const { approvals } = gate.console.as(visitor.actor, { reason, requestId });
  const approval = await approvals.request({
    operation: name,
    partnerId,
    mode: scope?.mode ?? null,
    // A checked body of JSON.
    change: { params, body: (body ?? {}) as Approval['change'] },
    reason,
    role,
    isCollected: secondPerson?.isCollected === true,
    vouchedBy: visitor.vouchedBy,
  });
  return ok(approvalJson(approval, visitor));
}
