import { RAISED_FOR_MS, type RaisedAlarm } from './alarms.js';

/** Enough for an operator; more of one alarm within its window would not change what they do. */
const KEPT_MAX = 1_000;

/** What an alarm concerns, such as `partner_id`, `mode` and `session_id`; no secrets. */
export type AlarmFields = Readonly<Record<string, string | number | null>>;

interface Raised {
  readonly at: number;
  readonly fields: AlarmFields;
}

/** When this process raised each alarm, for as long as the rules fire on it. */
export class RecentAlarms {
  private readonly raised = new Map<RaisedAlarm, readonly Raised[]>();

  constructor(private readonly now: () => number = Date.now) {}

  note(name: RaisedAlarm, fields: AlarmFields = {}): void {
    this.raised.set(name, [...this.of(name), { at: this.now(), fields }].slice(-KEPT_MAX));
  }

  /** Oldest first. */
  of(name: RaisedAlarm): readonly Raised[] {
    const after = this.now() - RAISED_FOR_MS;
    return (this.raised.get(name) ?? []).filter(({ at }) => at > after);
  }
}
