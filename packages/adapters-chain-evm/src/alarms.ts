import type { AlarmName, AlarmSink } from './options.js';

type Fields = Readonly<Record<string, string | number>>;

/** Raises alarms. A lasting condition is raised once, and again after it was cleared. */
export interface Alarms {
  raise(name: AlarmName, fields: Fields): void;
  /** Raises the alarm when the condition becomes active. */
  hold(isActive: boolean, name: AlarmName, fields: Fields): void;
}

/** Sends alarms to a sink. Active conditions are known to this process only. */
export function alarmsTo(sink: AlarmSink): Alarms {
  const active = new Set<string>();
  return {
    raise: (name, fields) => sink(name, fields),
    hold(isActive, name, fields) {
      const key = [name, fields['network'], fields['asset'], fields['call']].join(' ');
      if (!isActive) return void active.delete(key);
      if (active.has(key)) return;
      active.add(key);
      sink(name, fields);
    },
  };
}
