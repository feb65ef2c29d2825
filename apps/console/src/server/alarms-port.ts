/**
 * An alarm as it is at the moment.
 *
 * - `firing`: its condition holds, and has held for as long as the alarm requires.
 * - `pending`: its condition holds, but is not known to have held for so long.
 * - `inactive`: its condition does not hold, as far as `covers` says.
 * - `not_evaluated`: this process cannot know, so nothing may be concluded.
 */
export interface ConsoleAlarm {
  /** Its name in the alerting rules. */
  readonly name: string;
  readonly severity: 'critical' | 'warning';
  readonly state: 'firing' | 'pending' | 'inactive' | 'not_evaluated';
  /** What the state is about: all processes, or the one that serves the console. Null if it was not evaluated. */
  readonly covers: 'installation' | 'process' | null;
  /** The earliest instant since which the condition is known to hold; null if it does not hold or that is not known. */
  readonly since: number | null;
  /** What was compared with the condition, or how often the alarm was raised; null if it was not evaluated. */
  readonly value: number | null;
  /** What it is raised on, such as an expression of the rules. */
  readonly condition: string;
  /** What it means, and what to do. Text in backticks is code. */
  readonly meaning: string;
  /** `needs_history`: a rate or an average over time. `no_data`: a value could not be read or does not exist here. */
  readonly reason: 'needs_history' | 'no_data' | null;
  /** What it was raised about, the latest first and at most ten: ids, and the fragment of their page in the console. */
  readonly about: readonly {
    readonly fields: Readonly<Record<string, string | number | null>>;
    readonly path: string | null;
  }[];
}

/** Evaluates every alarm of the host's catalogue. Called for each read of the console, so it must be cheap. */
export type ConsoleAlarms = () => Promise<readonly ConsoleAlarm[]>;
