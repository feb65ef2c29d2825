import type { AuditEntry } from '@gateramp/core/domain';
import { AUDIT_HEAD_SETTING, type AuditFilter, type AuditRequest, type AuditWrite } from '@gateramp/core/ports';

/** The audit trail, oldest first. Its head is one of the settings. */
export class AuditTable {
  private readonly entries: AuditEntry[] = [];

  constructor(private readonly settings: Map<string, string>) {}

  /** Whether the trail still ends where the entries continue it. */
  accepts(audit: AuditWrite | null): boolean {
    return audit === null || (this.settings.get(AUDIT_HEAD_SETTING) ?? null) === audit.expectedHead;
  }

  append(audit: AuditWrite | null): void {
    if (audit === null) return;
    this.settings.set(AUDIT_HEAD_SETTING, audit.head);
    this.entries.push(...audit.entries);
  }

  list({ order, beyond, limit, ...filter }: AuditRequest): readonly AuditEntry[] {
    const ordered = order === 'oldest_first' ? this.entries : this.entries.toReversed();
    return ordered
      .filter((entry) => isSelected(entry, filter))
      .filter(({ sequence }) => beyond === null || (order === 'oldest_first' ? sequence > beyond : sequence < beyond))
      .slice(0, limit);
  }
}

function isSelected(entry: AuditEntry, { partnerId, mode, ...filter }: AuditFilter): boolean {
  const { requestId, action, actor, from, to } = filter;
  const { id, accessId } = entry.actor;
  return (
    (partnerId === null || entry.partnerId === partnerId) &&
    (mode === null || entry.mode === null || entry.mode === mode) &&
    (requestId === null || entry.requestId === requestId) &&
    (action === null || `${entry.action}.`.startsWith(`${action}.`)) &&
    (actor === null || id === actor || accessId === actor) &&
    (from === null || entry.at >= from) &&
    (to === null || entry.at < to)
  );
}
