import type { ConsoleAlarms, ConsoleLegs } from '@gateramp/console';
import type { Adapters } from '../adapters.js';
import type { Config } from '../config/config.js';
import type { Gate } from '../gate.js';
import { consoleLegs } from '../legs/console-legs.js';
import type { OpenLegs } from '../legs/open-legs.js';
import type { Metrics } from '../metrics/metrics.js';
import { firingHere, presentAlarms } from './present-alarms.js';
import { announceProcess } from './processes.js';
import { storedStates } from './stored-states.js';

interface ConsoleViewParts {
  readonly config: Pick<Config, 'legs' | 'role'>;
  readonly metrics: Metrics;
  readonly gate: Gate;
  readonly legs: OpenLegs | null;
  readonly isClockTrusted: () => boolean;
  readonly isHeld: () => boolean;
  readonly isAuditSetBack: () => boolean;
}

interface ConsoleViews {
  /** The provider legs; null for none. */
  readonly legs: ConsoleLegs | null;
  /** The present state of all alarms. */
  readonly alarms: ConsoleAlarms;
  /** Ends the reports to the consoles of other processes. */
  readonly stop: () => Promise<void>;
}

/** What the console shows of the server itself. With a durable store, the consoles of other processes show it too. */
export function openConsoleViews(
  adapters: Adapters,
  { config, metrics, gate, legs, isClockTrusted, isHeld, isAuditSetBack }: ConsoleViewParts,
): ConsoleViews {
  const ofConsole =
    legs === null || config.legs === null ? null : consoleLegs(legs, adapters.legsStore, config.legs.chain, gate.clock);
  const stored = storedStates({
    operator: adapters.operatorReads,
    legs: ofConsole,
    now: (mode) => gate.clock.now(mode),
    isClockTrusted,
    isHeld,
    isAuditSetBack,
  });
  const own = { registry: metrics.registry, recent: metrics.recentAlarms };
  const { clock_untrusted: untrusted, history_changed: changed, audit_set_back: setBack } = stored;
  const announced = !adapters.store.isDurable
    ? null
    : announceProcess({
        settings: adapters.store,
        role: config.role,
        now: () => gate.clock.now('live'),
        leasesHeld: () => gate.leasesHeld(),
        alarms: firingHere({
          ...own,
          stored: {
            ...(untrusted === undefined ? {} : { clock_untrusted: untrusted }),
            ...(changed === undefined ? {} : { history_changed: changed }),
            ...(setBack === undefined ? {} : { audit_set_back: setBack }),
          },
        }),
      });
  const elsewhere = announced === null ? {} : { elsewhere: announced.alarmsElsewhere };
  return {
    legs: ofConsole,
    alarms: presentAlarms({ ...own, stored, ...elsewhere }),
    stop: async () => {
      await announced?.stop();
    },
  };
}
