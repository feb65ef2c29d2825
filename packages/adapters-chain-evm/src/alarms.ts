import type { AlarmName, AlarmSink } from './options.js';

type Fields = Readonly<Record<string, string | number>>;

/** Raises alarms. A condition that lasts is raised once, and again after it was cleared. */
export interface Alarms {
  raise(name: AlarmName, fields: Fields): void;
  /** Raised while `isActive`, once. */
  hold(isActive: boolean, name: AlarmName, fields: Fields): void;
}

/** Alarms over a sink; what lasts is remembered by this process only. */
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
