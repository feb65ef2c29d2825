import type { Mode, Role } from '../wire/types.js';

/** What an action requires: the lowest role in each mode. The service decides; this only hides what it would refuse. */
export type Permission = Readonly<Record<Mode, Role>>;

export const READ: Permission = { test: 'viewer', live: 'viewer' };
export const SUPPORT: Permission = { test: 'support', live: 'support' };
export const CHANGE: Permission = { test: 'developer', live: 'operator' };
export const SECRET: Permission = { test: 'developer', live: 'admin' };
export const ADMIN: Permission = { test: 'admin', live: 'admin' };
/** The lowest role for any request; the server checks the role that each request requires. */
export const DECIDE: Permission = { test: 'operator', live: 'operator' };
export const OPERATE: Permission = { test: 'operator', live: 'operator' };

const RANKS: readonly Role[] = ['viewer', 'support', 'developer', 'operator', 'admin'];

/** Whether one of the roles is at least that role. */
export const hasRank = (roles: readonly Role[], least: Role): boolean =>
  roles.some((role) => RANKS.indexOf(role) >= RANKS.indexOf(least));
