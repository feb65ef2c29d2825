import type { Instant } from '@gateramp/core/domain';
import type { AlarmName, AlarmSink } from './options.js';

type Fields = Readonly<Record<string, string | number>>;

/** One of several causes of the same condition, such as the send that waits. It ends by itself after `forMs`, if that is given. */
export interface Cause {
  readonly cause?: string;
  readonly forMs?: number;
}

/** Raises alarms. A lasting condition is raised once, and again after it was cleared. */
export interface Alarms {
  raise(name: AlarmName, fields: Fields): void;
  /** Raises the alarm when the condition gets its first cause, and clears it when its last cause has gone. */
  hold(isActive: boolean, name: AlarmName, fields: Fields, cause?: Cause): void;
}

interface Condition {
  /** By cause: when it ends by itself; null for never. */
  readonly causes: Map<string, Instant | null>;
  /** How often the condition was found since it was raised. */
  count: number;
}

/** Sends alarms to a sink, and their ends to another. Active conditions are known to this process only. */
export function alarmsTo(sink: AlarmSink, { cleared, now }: { cleared: AlarmSink; now: () => Instant }): Alarms {
  const active = new Map<string, Condition>();
  return {
    raise: (name, fields) => sink(name, fields),
    hold(isActive, name, fields, { cause = '', forMs } = {}) {
      const key = [name, fields['network'], fields['asset'], fields['call']].join(' ');
      const condition = active.get(key) ?? { causes: new Map<string, Instant | null>(), count: 0 };
      for (const [one, until] of condition.causes) if (until !== null && until <= now()) condition.causes.delete(one);
      const isNew = condition.causes.size === 0;
      if (isActive) {
        condition.count = isNew ? 1 : condition.count + 1;
        condition.causes.set(cause, forMs === undefined ? null : now() + forMs);
        active.set(key, condition);
        if (isNew) sink(name, fields);
        return;
      }
      condition.causes.delete(cause);
      if (condition.causes.size > 0 || !active.delete(key)) return;
      cleared(name, { ...fields, count: condition.count });
    },
  };
}
