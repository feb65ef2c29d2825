import type { Instant } from '@gateramp/core/domain';

import type { Alarms } from './alarms.js';
import type { AlarmName } from './options.js';

type Fields = Readonly<Record<string, string | number>>;

/** Alarms that are counted for a while instead of raised one by one: transfers cost strangers little. */
export interface GroupedAlarms {
  /** Counts one occurrence. */
  add(name: AlarmName, fields: Fields): void;
  /** Raises what was added, unless the same alarm was raised a short time ago: then it is raised later, with the count. */
  flush(): void;
}

const WINDOW_MS = 10 * 60_000;

/** Groups the alarms of one network. Counts that were not raised yet are known to this process only. */
export function groupedAlarms({
  alarms,
  now,
}: {
  readonly alarms: Alarms;
  readonly now: () => Instant;
}): GroupedAlarms {
  const pending = new Map<AlarmName, { readonly first: Fields; count: number }>();
  const raisedAt = new Map<AlarmName, Instant>();
  return {
    add(name, fields) {
      const group = pending.get(name);
      if (group === undefined) pending.set(name, { first: fields, count: 1 });
      else group.count += 1;
    },
    flush() {
      for (const [name, { first, count }] of pending) {
        const last = raisedAt.get(name);
        if (last !== undefined && now() - last < WINDOW_MS) continue;
        raisedAt.set(name, now());
        pending.delete(name);
        alarms.raise(name, { ...first, count });
      }
    },
  };
}
