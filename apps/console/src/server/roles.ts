/** The roles of the console, lowest first: each may do what the ones before it may. */
export const ROLES = ['viewer', 'support', 'developer', 'operator', 'admin'] as const;

/**
 * `viewer` reads; `support` also cancels sessions, resends and replays webhooks, and asks for refunds; `developer` also changes everything
 * of test mode; `operator` also changes live mode, with a reason; `admin` also manages keys and access.
 */
export type Role = (typeof ROLES)[number];

/** The lowest role that may call an endpoint, by mode. */
export interface Needs {
  readonly test: Role;
  readonly live: Role;
}

/** The same role in both modes. */
export function needs(role: Role): Needs {
  return { test: role, live: role };
}

export const READS: Needs = needs('viewer');
export const SUPPORTS: Needs = needs('support');
/** Changes that developers make in test mode and operators in live mode. */
export const CHANGES: Needs = { test: 'developer', live: 'operator' };
/** Changes of who may do what: keys, and the signing secret of live mode. */
export const SECRETS: Needs = { test: 'developer', live: 'admin' };
export const ADMINISTERS: Needs = needs('admin');

export function includes(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed);
}
