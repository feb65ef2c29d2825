import type { Mode, Scope } from '@gateramp/core';
import type { Gate } from './gate.js';
import type { Actor } from '@gateramp/core/domain';
import { inTime } from './host-calls.js';
import { recordRefusedSignIn } from './refused-sign-ins.js';
import { ROLES, type Role } from './roles.js';

/** What the host answers about the sender of a request: an operator, the roles they have, and the partners they see. */
export interface Operator {
  /** The name or id that the audit trail shows. */
  readonly actor: string;
  /** The highest counts. */
  readonly roles: readonly Role[];
  /** Ids of the partners that the operator sees, or `all`. */
  readonly partners: readonly string[] | 'all';
}

/** Returns who sends a request, or null: the operators' door. */
export type Authorize = (request: Request) => Operator | null | Promise<Operator | null>;

/** Someone who is signed in. */
export interface Visitor {
  readonly actor: Actor & { readonly type: 'operator' | 'partner_user' };
  readonly role: Role;
  readonly kind: 'portal' | 'operator';
  /** The only scope that a user of a partner sees; null for operators. */
  readonly scope: Scope | null;
  /** The partners that an operator sees; null for all. */
  readonly partners: readonly string[] | null;
  /** Null if the host decides how long. */
  readonly expiresAt: number | null;
}

/** The cookie is tried first, so that a user of a partner is never taken for an operator. */
export async function visitorOf(
  gate: Gate,
  request: Request,
  { token, authorize }: { readonly token: string | null; readonly authorize: Authorize },
): Promise<Visitor | null> {
  const access = token === null ? null : await gate.console.authenticate(token);
  if (access !== null) {
    return visitorOfAccess(access);
  }
  const operator = await inTime('authorize', () => authorize(request));
  const role = ROLES.findLast((one) => operator?.roles.includes(one) === true);
  if (operator === null) return null;
  if (role === undefined) {
    const reason = 'The host knows this person, who has no role in the console';
    recordRefusedSignIn(gate, { method: 'authorize', reason, actor: operator.actor });
    return null;
  }
  return {
    actor: { type: 'operator', id: operator.actor },
    role,
    kind: 'operator',
    scope: null,
    partners: operator.partners === 'all' ? null : operator.partners,
    expiresAt: null,
  };
}

type Access = NonNullable<Awaited<ReturnType<Gate['console']['authenticate']>>>;

export function visitorOfAccess({ kind, partnerId, mode, role, actor, ...rest }: Access): Visitor | null {
  const { partners, expiresAt } = rest;
  if (kind === 'operator')
    return { actor: { ...actor, type: 'operator' }, role, kind, scope: null, partners, expiresAt };
  if (partnerId === null || mode === null) return null;
  return {
    actor: { ...actor, type: 'partner_user' },
    role,
    kind,
    scope: { partnerId, mode },
    partners: [partnerId],
    expiresAt,
  };
}

/** Whether two authentications of a request found the same person with the same rights. */
export function sameAccess(one: Visitor | null, other: Visitor | null): boolean {
  return one !== null && other !== null && JSON.stringify(one) === JSON.stringify(other);
}

/** Whether the visitor sees anything of a partner. */
export function sees({ partners }: Visitor, partnerId: string): boolean {
  return partners === null || partners.includes(partnerId);
}

/** How many rows to read for a list of `count`: more for visitors who see some partners only, since rows of others are left out. */
export function readCount({ partners }: Visitor, count: number): number {
  return partners === null ? count : Math.max(count, ROWS_READ_MAX);
}

const ROWS_READ_MAX = 1_000;

const MODES: readonly Mode[] = ['test', 'live'];

/**
 * The partner and mode of a call. Operators name them in the query. A user of a partner has one scope and may leave them out; another one
 * is treated as absent.
 */
export function scopeOfCall(visitor: Visitor, query: URLSearchParams): Scope | 'unnamed' | null {
  const [partnerId, given] = [query.get('partner'), query.get('mode')];
  const mode = MODES.find((one) => one === given);
  const { scope } = visitor;
  if (scope !== null)
    return (partnerId ?? scope.partnerId) === scope.partnerId && (given ?? scope.mode) === scope.mode ? scope : null;
  if (partnerId === null || mode === undefined) return 'unnamed';
  return sees(visitor, partnerId) ? { partnerId, mode } : null;
}
