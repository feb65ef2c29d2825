import type { ConsoleAlarm, ConsoleLegs } from '@gateramp/console';
import { DAY, MODES, type Mode } from '@gateramp/core/domain';
import type { UnfinishedWork } from '@gateramp/core/ports';
import { alarmPath } from './alarm-path.js';
import { ABOUT_MAX, type RaisedAlarm } from './alarms.js';
import type { AlarmFields } from './recent-alarms.js';

/** The state behind an alarm, and the condition on which it was decided. */
type State = Pick<ConsoleAlarm, 'state' | 'covers' | 'since' | 'value' | 'reason' | 'condition' | 'about'>;

/** One case of a state: since when, null where unknown, and the ids that it concerns. */
interface Case {
  readonly since: number | null;
  readonly fields: AlarmFields;
}

/** Alarms whose cause is a state that lasts: they fire while it does, whichever process raised them, and however long ago. */
export type StoredStates = Partial<Readonly<Record<RaisedAlarm, () => Promise<State>>>>;

interface StoredStatesParts {
  readonly operator: Pick<UnfinishedWork, 'heldSessions'>;
  readonly legs: Pick<ConsoleLegs, 'wallets' | 'listOperations'> | null;
  readonly now: (mode: Mode) => number;
  readonly isClockTrusted: () => boolean;
  /** Whether all writes are held after a restore. */
  readonly isHeld: () => boolean;
  /** Whether the audit trail lacks an entry that this process has seen. */
  readonly isAuditSetBack: () => boolean;
}

/** More are not counted. */
const COUNTED_MAX = 100;

export function storedStates(parts: StoredStatesParts): StoredStates {
  const { operator, legs, now, isClockTrusted, isHeld, isAuditSetBack } = parts;
  return {
    session_held_too_long: async () => {
      const held = await Promise.all(
        MODES.map(async (mode) =>
          (await operator.heldSessions(mode, COUNTED_MAX)).flatMap(({ heldSince, partnerId, id }): Case[] =>
            heldSince !== null && heldSince + DAY <= now(mode)
              ? [{ since: heldSince + DAY, fields: { partner_id: partnerId, mode, session_id: id } }]
              : [],
          ),
        ),
      );
      return stateOf('installation', 'sessions held for over a day > 0', held.flat());
    },
    ...(legs === null
      ? {}
      : {
          operation_stuck: async () => {
            const stuck = await Promise.all(
              MODES.map((mode) => legs.listOperations({ mode, isStuck: true, after: null, limit: COUNTED_MAX })),
            );
            const cases = stuck.flat().map(({ id, mode, partnerId, updatedAt }) => ({
              since: updatedAt,
              fields: { partner_id: partnerId, mode, operation_id: id },
            }));
            return stateOf('installation', 'stuck operations > 0', cases);
          },
          wallet_paused: async () => {
            const paused = (await legs.wallets()).filter(({ status }) => status === 'paused');
            const cases = paused.map(({ network, history }) => ({
              since: history.findLast(({ to }) => to === 'paused')?.at ?? null,
              fields: { network },
            }));
            return stateOf('installation', 'paused wallets > 0', cases);
          },
        }),
    clock_untrusted: async () =>
      stateOf('process', 'the time of the database is not trusted', isClockTrusted() ? [] : [UNNAMED]),
    history_changed: async () => stateOf('process', 'all writes are held', isHeld() ? [UNNAMED] : []),
    audit_set_back: async () =>
      stateOf('process', 'the audit trail lacks an entry that was seen', isAuditSetBack() ? [UNNAMED] : []),
  };
}

const UNNAMED: Case = { since: null, fields: {} };

function stateOf(covers: State['covers'], condition: string, cases: readonly Case[]): State {
  const known = cases.flatMap(({ since }) => since ?? []);
  const latest = cases.toSorted((one, other) => (other.since ?? 0) - (one.since ?? 0)).slice(0, ABOUT_MAX);
  return {
    state: cases.length === 0 ? 'inactive' : 'firing',
    covers,
    condition,
    since: known.length === 0 ? null : Math.min(...known),
    value: cases.length,
    reason: null,
    about: latest
      .filter(({ fields }) => Object.keys(fields).length > 0)
      .map(({ fields }) => ({ fields, path: alarmPath(fields) })),
  };
}
