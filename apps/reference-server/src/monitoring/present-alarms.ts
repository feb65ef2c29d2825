import type { ConsoleAlarm, ConsoleAlarms } from '@gateramp/console';
import type { Registry } from 'prom-client';
import {
  ABOUT_MAX,
  ALARMS,
  type Alarm,
  type Duration,
  type Present,
  type RaisedAlarm,
  type Threshold,
} from './alarms.js';
import { alarmPath } from './alarm-path.js';
import type { RecentAlarms } from './recent-alarms.js';
import type { StoredStates } from './stored-states.js';

interface PresentAlarmsParts {
  readonly registry: Registry;
  readonly recent: RecentAlarms;
  readonly stored: StoredStates;
  /** What fires in other processes. */
  readonly elsewhere?: () => Promise<readonly ProcessAlarm[]>;
  /** The alarms to evaluate; all by default. */
  readonly listed?: readonly Alarm[];
  readonly now?: () => number;
}

type Evaluated = Pick<ConsoleAlarm, 'state' | 'covers' | 'since' | 'value' | 'reason'> & {
  readonly condition?: string;
  readonly about?: ConsoleAlarm['about'];
};

/** An alarm that fires in one process, as other processes learn of it. */
export type ProcessAlarm = Pick<ConsoleAlarm, 'name' | 'since' | 'value' | 'about'>;

/**
 * The catalogue of alarms as one process can evaluate it, without the history that Prometheus has: by the state of the store, by the
 * present values of this process's series, and by the alarms that it raised itself. What needs more is reported as not evaluated. Of two
 * alarms of the same stored state, one is listed.
 */
export function presentAlarms({
  registry,
  recent,
  stored,
  elsewhere = () => Promise.resolve([]),
  listed = LISTED,
  now = Date.now,
}: PresentAlarmsParts): ConsoleAlarms {
  const firstSeen = new Map<string, number>();

  const ofThresholds = async ({ alert, holds }: Alarm, { any, covers }: Present): Promise<Evaluated> => {
    const read = await Promise.all(
      any.map(async (threshold) => ({ threshold, values: await valuesOf(registry, threshold) })),
    );
    const known = read.filter(({ values }) => values !== null);
    const holding = known.flatMap(({ threshold, values }) =>
      (values ?? []).filter((value) => isBeyond(threshold, value)).map((value) => ({ threshold, value })),
    );
    const at = now();
    const [first] = holding;
    if (first === undefined) {
      // A value that is missing now says nothing about whether the condition has ended.
      const values = known.flatMap((one) => one.values ?? []);
      if (known.some((one) => one.values?.length === 0) || values.length === 0) return NO_DATA;
      firstSeen.delete(alert);
      return { state: 'inactive', covers, since: null, value: Math.max(...values), reason: null };
    }
    const ages = holding.filter(({ threshold }) => threshold.isAge === true);
    const starts = ages.map(({ threshold, value }) => at - (value - threshold.bound) * 1_000);
    const since = Math.min(firstSeen.get(alert) ?? at, ...starts);
    firstSeen.set(alert, since);
    const isLong = at - since >= msOf(holds);
    const { value } = ages[0] ?? first;
    return { state: isLong ? 'firing' : 'pending', covers, since, value, reason: null };
  };

  const evaluated = async (alarm: Alarm): Promise<Evaluated> => {
    const { raised, present } = alarm;
    if (raised !== null) {
      const state = stored[raised];
      return state?.().catch(() => NO_DATA) ?? ofRaised(recent, raised);
    }
    return present === null ? NEEDS_HISTORY : ofThresholds(alarm, present);
  };

  return async () => {
    const others = await elsewhere().catch(() => []);
    return Promise.all(
      listed.map(async (alarm) => {
        const { alert: name, severity, meaning, expr, holds } = alarm;
        const condition = `${expr}${holds === null ? '' : ` for ${holds}`}`;
        const own = await evaluated(alarm);
        const same = others.filter((one) => one.name === name);
        const found = withOthers(own, same, { counts: alarm.raised !== null });
        return { name, severity, meaning, condition, about: [], ...found };
      }),
    );
  };
}

/** The alarms that fire in this process alone, for the consoles of others. */
export function firingHere(parts: Omit<PresentAlarmsParts, 'elsewhere' | 'listed'>): () => Promise<ProcessAlarm[]> {
  const listed = LISTED.filter(({ raised, present }) => raised !== null || present?.covers === 'process');
  const evaluate = presentAlarms({ ...parts, listed });
  return async () =>
    (await evaluate())
      .filter(({ state, covers }) => state === 'firing' && covers === 'process')
      .map(({ name, since, value, about }) => ({ name, since, value, about }));
}

/** What covers the installation already includes other processes. `counts`: the value is the number of times that it was raised. */
function withOthers(
  own: Evaluated,
  others: readonly ProcessAlarm[],
  { counts }: { readonly counts: boolean },
): Evaluated {
  if (own.covers === 'installation' || others.length === 0) return own;
  const all = own.state === 'firing' ? [own, ...others] : others;
  const starts = all.flatMap(({ since }) => since ?? []);
  const values = all.map(({ value }) => value ?? 0);
  return {
    ...own,
    state: 'firing',
    covers: 'installation',
    since: starts.length === 0 ? null : Math.min(...starts),
    value: counts ? values.reduce((sum, value) => sum + value, 0) : Math.max(...values),
    reason: null,
    about: all.flatMap(({ about = [] }) => about).slice(0, ABOUT_MAX),
  };
}

const LISTED = ALARMS.filter(({ sameStateAs }) => sameStateAs === undefined);

const UNKNOWN = { state: 'not_evaluated', covers: null, since: null, value: null } as const;
const NO_DATA: Evaluated = { ...UNKNOWN, reason: 'no_data' };
const NEEDS_HISTORY: Evaluated = { ...UNKNOWN, reason: 'needs_history' };

function ofRaised(recent: RecentAlarms, name: RaisedAlarm): Evaluated {
  const raised = recent.of(name);
  const state = raised.length === 0 ? 'inactive' : 'firing';
  const latest = raised.slice(-ABOUT_MAX).toReversed();
  return {
    state,
    covers: 'process',
    since: raised[0]?.at ?? null,
    value: raised.length,
    reason: null,
    about: latest
      .filter(({ fields }) => Object.keys(fields).length > 0)
      .map(({ fields }) => ({ fields, path: alarmPath(fields) })),
  };
}

/** The present values of a series; null if this process does not have it. */
async function valuesOf(registry: Registry, { series, labels = {} }: Threshold): Promise<readonly number[] | null> {
  const metric = registry.getSingleMetric(series);
  if (metric === undefined) return null;
  const { values } = await metric.get();
  const wanted = Object.entries(labels);
  return values
    .filter((one) => wanted.every(([name, value]) => (one.labels as Record<string, unknown>)[name] === value))
    .map(({ value }) => value);
}

function isBeyond({ is, bound, of }: Threshold, value: number): boolean {
  const compared = of === 'abs' ? Math.abs(value) : value;
  if (is === '==') return compared === bound;
  return is === '>' ? compared > bound : compared < bound;
}

const msOf = (holds: Duration | null): number => (holds === null ? 0 : Number.parseInt(holds, 10) * 60_000);
