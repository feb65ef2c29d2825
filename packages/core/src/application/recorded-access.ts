import type { AuditEntry, AuditTarget } from '../domain/audit.js';
import { keyId } from '../domain/keys/api-key.js';
import type { Engine, RecordedAccess } from './engine.js';

const KEYS: RecordedAccess = {
  creations: { key: ['key.issue', 'key.add'] },
  stored: async ({ partnerStore }, partnerId) => {
    const keys = partnerId === null ? [] : await partnerStore?.listKeys(partnerId);
    return (keys ?? []).map(({ key }) => ({ type: 'key', id: keyId(key) }));
  },
};

/** What lets someone in and is stored now. `remove` what an entry of the trail has created; `problem` names what is left. */
export async function unrecordedAccess(engine: Engine): Promise<UnrecordedAccess> {
  const unrecorded = new UnrecordedAccess();
  const partnerIds = engine.operator === null ? [] : (await engine.operator.partners()).map(({ id }) => id);
  for (const { creations, stored } of [KEYS, ...engine.access])
    for (const partnerId of [null, ...partnerIds]) {
      const owner = partnerId === null ? '' : ` of partner ${partnerId}`;
      for (const target of await stored(engine, partnerId)) unrecorded.add(target, owner, creations);
    }
  return unrecorded;
}

const NAMED_MAX = 5;

class UnrecordedAccess {
  private readonly left = new Map<string, { readonly name: string; readonly actions: readonly string[] }>();

  add(target: AuditTarget, owner: string, creations: RecordedAccess['creations']): void {
    this.left.set(keyOf(target), { name: `${keyOf(target)}${owner}`, actions: creations[target.type] ?? [] });
  }

  remove({ action, target }: AuditEntry): void {
    if (this.left.get(keyOf(target))?.actions.includes(action) === true) this.left.delete(keyOf(target));
  }

  problem(): string | null {
    const names = [...this.left.values()].map(({ name }) => name);
    if (names.length === 0) return null;
    const more = names.length > NAMED_MAX ? `, and ${names.length - NAMED_MAX} more` : '';
    return `No entry records the creation of: ${names.slice(0, NAMED_MAX).join(', ')}${more}.`;
  }
}

function keyOf({ type, id }: AuditTarget): string {
  return `${type} ${id}`;
}
