/** What operators read: an object by its id or hash, the state of a partner, and work that does not advance. */
import type { Scope } from '@gateramp/core/domain';
import {
  callerProblems,
  type Extension,
  type ExtensionContext,
  scopeProblems,
  throwIfAny,
} from '@gateramp/core/extension';
import { type ChangeFollower, type Changes, changesOf } from './changes.js';
import { type Lookup, lookup } from './find.js';
import { type LastDay, lastDayOf, type Overview, overviewOf } from './overview.js';
import { type RefusedRequestList, refusedRequestList, RefusedRequests } from './refused-requests.js';
import { type EventResends, eventResends } from './resend-event.js';
import { type SessionPaymentReads, sessionPaymentReads } from './session-payments.js';
import { type Period, periodProblems, type Totals, totalsOf } from './totals.js';
import { type WorkReads, workReads } from './work.js';

export type { ChangeFollower, ChangeTopic } from './changes.js';
export type { Found, Lookup } from './find.js';
export type { LastDay, Overview } from './overview.js';
export type { RefusedRequest, RefusedRequestList } from './refused-requests.js';
export {
  type PaymentPage,
  SESSION_PAYMENTS,
  type SessionPayment,
  type SessionPaymentReads,
} from './session-payments.js';
export type { MoneyTotal, Period, Totals } from './totals.js';
export type { DueWork, StuckWork, WorkList, WorkReads } from './work.js';
export type { SandboxWork } from './sandbox-work.js';

/** What the extension adds to `gate.admin`. */
export interface InspectionReads extends Lookup, WorkReads, SessionPaymentReads, EventResends {
  /** Counts a partner's deliveries of one mode by state. Every count stops at 1,000,000. */
  overview(scope: Scope): Promise<Overview>;
  /** Counts a partner's sessions and payments of one mode by state, and adds up their money. */
  totals(scope: Scope, period: Period): Promise<Totals>;
  /** A partner's last 24 hours in one mode, hour by hour. */
  lastDay(scope: Scope): Promise<LastDay>;
  /**
   * Calls back when something of a partner may have changed in a mode, or in the installation if `scope` is null: at once for what this
   * process commits, and for other processes by one statement for all followers together, every two seconds to once a minute while nothing
   * changes (port `operator`). Returns a function that ends it.
   */
  followChanges(scope: Scope | null, follower: ChangeFollower): () => void;
  readonly refusedRequests: RefusedRequestList;
}

/** Reads for operators, as `createGate` takes them among its `extensions`. */
export type Inspection = Extension<Readonly<Record<never, never>>, InspectionReads>;

/** Options of the extension. */
export interface InspectionOptions {
  /**
   * Keeps requests of partners that were answered with an error for seven days: route, code and the names of invalid fields, never what was
   * sent. At most 60 per partner, mode, process and minute; 401, 429 and 503 are not kept. Default: false.
   */
  readonly keepsRefusedRequests?: boolean;
}

/** Reads for operators about what happened and what does not advance. Those of all partners need the port `operator`. */
export function inspection({ keepsRefusedRequests = false }: InspectionOptions = {}): Inspection {
  return {
    contract: 2,
    name: 'inspection',
    open: ({ engine }) => {
      const changes = changesOf(engine);
      const refused = new RefusedRequests(engine);
      return {
        admin: (context) => inspectionReads(context, { changes, refused }),
        listeners: keepsRefusedRequests ? [changes, refused] : [changes],
      };
    },
  };
}

interface Parts {
  readonly changes: Changes;
  readonly refused: RefusedRequests;
}

function inspectionReads(context: ExtensionContext, { changes, refused }: Parts): InspectionReads {
  const { engine } = context;
  return {
    ...lookup(context),
    ...workReads(context),
    ...sessionPaymentReads(engine),
    ...eventResends(engine, context.by),
    overview: async (scope) => {
      throwIfAny('overview received invalid arguments', callerProblems(scope));
      return overviewOf(engine, scope);
    },
    totals: async (scope, period) => {
      throwIfAny('totals received invalid arguments', [...callerProblems(scope), ...periodProblems(period)]);
      return totalsOf(engine, scope, period);
    },
    lastDay: async (scope) => {
      throwIfAny('lastDay received invalid arguments', callerProblems(scope));
      return lastDayOf(engine, scope);
    },
    followChanges: (scope, follower) => {
      if (scope !== null) throwIfAny('followChanges received invalid arguments', scopeProblems(scope));
      return changes.follow(scope, follower);
    },
    refusedRequests: refusedRequestList(engine, refused),
  };
}
