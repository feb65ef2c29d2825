/** Access to the console: invitations, sessions, passkeys, and changes that need the consent of a second person. */
import type { Extension } from '@gateramp/core/extension';
import { type ConsoleDoor, consoleDoor } from './door.js';
import { consoleRows } from './recorded-rows.js';

export type { Access, Role } from './access.js';
export type { Approval, ApprovalRequest, Approvals } from './approvals.js';
export type { ConsoleDoor } from './door.js';

/** What the extension adds to a gate. */
export interface ConsoleFace {
  /** Lets users of partners and operators into the console. */
  readonly console: ConsoleDoor;
}

/** Access to the console, as `createGate` takes it among its `extensions`. */
export type ConsoleAccess = Extension<Readonly<Record<never, never>>, object, ConsoleFace>;

/** Access to the console of `@gateramp/console`: who may use it, and what a second person has to approve. */
export function consoleAccess(): ConsoleAccess {
  return {
    contract: 2,
    name: 'console access',
    access: consoleRows,
    open: ({ engine, ready }) => ({ face: { console: consoleDoor(engine, ready) } }),
  };
}
