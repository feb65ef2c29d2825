import type { Gate } from '@gateramp/core';
import type { Telemetry } from '@gateramp/core/ports';
import type { SeenHead } from './acknowledged.js';
import type { AcknowledgedLog } from './acknowledged-file.js';

type Audit = Pick<Gate['admin']['audit'], 'compare'>;

interface AuditHeadParts {
  readonly audit: Audit;
  readonly installation: string;
  readonly logs: readonly Pick<AcknowledgedLog, 'readHead' | 'keepHead'>[];
  /** Whether all writes are held after a restore, which sets the trail back too. */
  readonly isHeld: () => boolean;
  readonly telemetry: Pick<Telemetry, 'alarm'>;
}

const CHECK_EVERY_MS = 2_000;

/**
 * Remembers the end of the audit trail outside of the database, and raises an alarm if the trail no longer contains it: anyone who can
 * write to the database could remove the newest entries and put back an earlier end.
 */
export async function watchAuditHead({ audit, installation, logs, isHeld, telemetry }: AuditHeadParts) {
  const stored = await Promise.all(logs.map((log) => log.readHead(installation)));
  let remembered = stored.reduce((one, other) => ((other?.sequence ?? 0) > (one?.sequence ?? 0) ? other : one), null);
  let isSetBack = false;

  const check = async (): Promise<void> => {
    if (isHeld()) return;
    const found = await audit.compare(remembered);
    if (found.isSetBack && remembered !== null && !isSetBack) {
      const [seen, end] = [textOf(remembered), found.head === null ? 'unreadable' : textOf(found.head)];
      telemetry.alarm('audit_set_back', { seen, end });
    }
    isSetBack = found.isSetBack;
    const { head } = found;
    if (isSetBack || head === null || head.digest === remembered?.digest) return;
    await Promise.allSettled(logs.map((log) => log.keepHead(installation, head, remembered)));
    remembered = head;
  };
  let checking: Promise<void> | null = null;
  const checkOnce = (): Promise<void> =>
    (checking ??= check()
      // The database is unavailable: the next check decides.
      .catch(() => undefined)
      .finally(() => (checking = null)));

  await checkOnce();
  const timer = setInterval(() => void checkOnce(), CHECK_EVERY_MS).unref();
  return {
    isSetBack: (): boolean => isSetBack,
    check: checkOnce,
    close: async (): Promise<void> => {
      clearInterval(timer);
      await checking;
    },
  };
}

/** As `gate audit verify --at-least` takes it. */
function textOf({ sequence, digest }: SeenHead): string {
  return `${sequence}.${digest}`;
}
