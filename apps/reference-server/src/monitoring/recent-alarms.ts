import { RAISED_FOR_MS, type RaisedAlarm } from './alarms.js';

/** Enough for an operator; more of one alarm within its window would not change what they do. */
const KEPT_MAX = 1_000;

/** When this process raised each alarm, for as long as the rules fire on it. */
export class RecentAlarms {
  private readonly times = new Map<RaisedAlarm, readonly number[]>();

  constructor(private readonly now: () => number = Date.now) {}

  note(name: RaisedAlarm): void {
    this.times.set(name, [...this.of(name), this.now()].slice(-KEPT_MAX));
  }

  /** Oldest first. */
  of(name: RaisedAlarm): readonly number[] {
    const after = this.now() - RAISED_FOR_MS;
    return (this.times.get(name) ?? []).filter((at) => at > after);
  }
}
