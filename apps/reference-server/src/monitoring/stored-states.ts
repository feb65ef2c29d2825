import type { ConsoleAlarm, ConsoleLegs } from '@gateramp/console';
import { DAY, MODES, type Mode } from '@gateramp/core/domain';
import type { UnfinishedWork } from '@gateramp/core/ports';
import type { RaisedAlarm } from './alarms.js';

/** The state behind an alarm, and the condition on which it was decided. */
type State = Pick<ConsoleAlarm, 'state' | 'covers' | 'since' | 'value' | 'reason' | 'condition'>;

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
          (await operator.heldSessions(mode, COUNTED_MAX)).flatMap(({ heldSince }) =>
            heldSince !== null && heldSince + DAY <= now(mode) ? [heldSince + DAY] : [],
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
            const since = stuck.flat().map(({ updatedAt }) => updatedAt);
            return stateOf('installation', 'stuck operations > 0', since);
          },
          wallet_paused: async () => {
            const paused = (await legs.wallets()).filter(({ status }) => status === 'paused');
            const since = paused.map(({ history }) => history.findLast(({ to }) => to === 'paused')?.at ?? null);
            return stateOf('installation', 'paused wallets > 0', since);
          },
        }),
    clock_untrusted: async () =>
      stateOf('process', 'the time of the database is not trusted', isClockTrusted() ? [] : [null]),
    history_changed: async () => stateOf('process', 'all writes are held', isHeld() ? [null] : []),
    audit_set_back: async () =>
      stateOf('process', 'the audit trail lacks an entry that was seen', isAuditSetBack() ? [null] : []),
  };
}

/** Of the instants since which each case lasts, null where unknown. */
function stateOf(covers: State['covers'], condition: string, since: readonly (number | null)[]): State {
  const known = since.filter((one) => one !== null);
  return {
    state: since.length === 0 ? 'inactive' : 'firing',
    covers,
    condition,
    since: known.length === 0 ? null : Math.min(...known),
    value: since.length,
    reason: null,
  };
}
