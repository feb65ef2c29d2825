import { hostname } from 'node:os';
import { DAY, type Instant, SECOND } from '@gateramp/core/domain';
import { VERSION } from '@gateramp/core/http';
import type { Settings } from '@gateramp/core/ports';
import { atMost } from '@gateramp/core/runtime';
import * as z from 'zod';
import type { ProcessAlarm } from './present-alarms.js';

/** How often a process says that it is alive. */
const BEAT_MS = 15 * SECOND;

/** A process that was not seen for this long is forgotten, and another may use its setting. */
const FORGOTTEN_AFTER_MS = DAY;

/** A database that is away must not keep a process from ending. */
const LAST_BEAT_MAX_MS = 1 * SECOND;

const PREFIX = 'process.';

const PROCESS = z.object({
  /** Of this start of the process. */
  id: z.string(),
  role: z.string(),
  host: z.string(),
  pid: z.number(),
  version: z.string(),
  started_at: z.number(),
  seen_at: z.number(),
  stopped_at: z.number().nullable(),
  leases_held: z.number(),
  alarms: z.array(
    z.object({
      name: z.string(),
      since: z.number().nullable(),
      value: z.number().nullable(),
      about: z.array(
        z.object({
          fields: z.record(z.string(), z.union([z.string(), z.number(), z.null()])),
          path: z.string().nullable(),
        }),
      ),
    }),
  ),
});

/** What a process that uses the database says of itself. */
export type AnnouncedProcess = z.infer<typeof PROCESS>;

interface Announcement {
  readonly settings: Settings;
  readonly role: string;
  /** By the clock of the database. Throws while it is unknown. */
  readonly now: () => Instant;
  readonly leasesHeld: () => number;
  /** What fires in this process. */
  readonly alarms: () => Promise<readonly ProcessAlarm[]>;
}

interface Announcing {
  /** What fires in the other running processes. */
  readonly alarmsElsewhere: () => Promise<readonly ProcessAlarm[]>;
  /** Notes that the process has stopped. */
  readonly stop: () => Promise<unknown>;
}

/**
 * Keeps an entry about this process in the database, for operators who ask which version runs where. Never throws: while the database
 * is away, the entry grows old, as it does after a crash.
 */
export function announceProcess({ settings, role, now, leasesHeld, alarms }: Announcement): Announcing {
  const id = crypto.randomUUID();
  let startedAt: Instant | null = null;
  let kept: { readonly name: string; readonly text: string } | null = null;

  const beat = async ({ isStopping }: { readonly isStopping: boolean }): Promise<void> => {
    const at = now();
    const firing = isStopping ? [] : await alarms().catch(() => []);
    const own: AnnouncedProcess = {
      id,
      role,
      host: hostname(),
      pid: process.pid,
      version: VERSION,
      started_at: (startedAt ??= at),
      seen_at: at,
      stopped_at: isStopping ? at : null,
      leases_held: leasesHeld(),
      alarms: firing.map((one) => ({ ...one, about: [...one.about] })),
    };
    const text = JSON.stringify(own);
    const before = kept;
    // Whatever fails, the entry is looked up again: by then it may be another's.
    kept = null;
    const isKept = before !== null && (await settings.swapSetting(before.name, before.text, text)) === text;
    kept = isKept ? { name: before.name, text } : await keep(settings, own, text);
  };

  let last = Promise.resolve();
  const next = (state: { readonly isStopping: boolean }): Promise<void> =>
    (last = last.then(() => beat(state)).catch(() => undefined));
  void next({ isStopping: false });
  const timer = setInterval(() => void next({ isStopping: false }), BEAT_MS).unref();
  return {
    alarmsElsewhere: async () => {
      const at = now();
      const running = (await announcedProcesses(settings, at)).filter((one) => one.id !== id && isRunning(one, at));
      return running.flatMap((one) => one.alarms);
    },
    stop: () => {
      clearInterval(timer);
      return atMost(LAST_BEAT_MAX_MS, next({ isStopping: true }));
    },
  };
}

/** Stores it in its own setting, or in the first that no process uses, so that restarts do not add settings for ever. */
async function keep(
  settings: Settings,
  { id, seen_at: at }: AnnouncedProcess,
  text: string,
): Promise<{ readonly name: string; readonly text: string }> {
  const known = await settings.listSettings(PREFIX);
  // There is one if the answer of the database was lost.
  const own = [...known].find(([, one]) => parsed(one)?.id === id);
  if (own !== undefined && (await settings.swapSetting(own[0], own[1], text)) === text) return { name: own[0], text };
  for (let number = 0; ; number += 1) {
    const name = `${PREFIX}${String(number).padStart(4, '0')}`;
    const current = known.get(name) ?? null;
    if (current !== null && isUsed(current, at)) continue;
    if ((await settings.swapSetting(name, current, text)) === text) return { name, text };
  }
}

function isUsed(text: string, at: Instant): boolean {
  const found = parsed(text);
  return found !== null && found.stopped_at === null && at - found.seen_at < FORGOTTEN_AFTER_MS;
}

/** The processes that were seen within a day, the last seen first. */
export async function announcedProcesses(settings: Settings, at: Instant): Promise<readonly AnnouncedProcess[]> {
  const known = [...(await settings.listSettings(PREFIX)).values()];
  return known
    .flatMap((text) => parsed(text) ?? [])
    .filter(({ seen_at: seenAt }) => at - seenAt < FORGOTTEN_AFTER_MS)
    .toSorted((one, other) => other.seen_at - one.seen_at);
}

/** Two missed beats may be a slow database. */
const LOST_AFTER_MS = 3 * BEAT_MS;

/** Neither stopped nor lost: seen within 45 seconds. */
export function isRunning({ stopped_at: stoppedAt, seen_at: seenAt }: AnnouncedProcess, at: Instant): boolean {
  return stoppedAt === null && at - seenAt <= LOST_AFTER_MS;
}

/** Null for text that another version wrote differently. */
function parsed(text: string): AnnouncedProcess | null {
  try {
    return PROCESS.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}
