import type { Mode, Role } from '../wire/types.js';

/** What an action requires: the lowest role in each mode. The service decides; this only hides what it would refuse. */
export type Permission = Readonly<Record<Mode, Role>>;

const RANKS: readonly Role[] = ['viewer', 'support', 'developer', 'operator', 'admin'];

/** Whether one of the roles is at least that role. */
export const hasRank = (roles: readonly Role[], least: Role): boolean =>
  roles.some((role) => RANKS.indexOf(role) >= RANKS.indexOf(least));
