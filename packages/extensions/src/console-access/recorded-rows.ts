import { type AuditTarget, PAGE_LIMIT_MAX, type PageStart } from '@gateramp/core/domain';
import { type DocumentRow, type Engine, listRows, type RecordedAccess } from '@gateramp/core/extension';
import { OPERATORS } from './access.js';

/** The rows of the console that let someone in, and the actions that create them. */
export const consoleRows: RecordedAccess = {
  creations: {
    console_access: ['console_access.invite', 'console_access.sign_in'],
    console_approval: ['console_approval.request'],
    console_passkey: ['console_passkey.invite', 'console_passkey.add'],
  },
  stored: async (engine, partnerId) => {
    const found: AuditTarget[] = [];
    const nouns = partnerId === null ? Object.keys(consoleRows.creations) : ['console_access'];
    for (const type of nouns)
      for (const { id, passkeys = [] } of await rowsOf(engine, type, partnerId ?? OPERATORS)) {
        found.push({ type, id });
        found.push(...passkeys.map((one) => ({ type: 'console_passkey', id: one.id })));
      }
    return found;
  },
};

/** An access contains the passkeys of its person. */
interface ConsoleRow extends DocumentRow {
  readonly passkeys?: readonly { readonly id: string }[];
}

async function rowsOf({ store }: Engine, noun: string, partnerId: string): Promise<readonly ConsoleRow[]> {
  const found: ConsoleRow[] = [];
  let start: PageStart = { kind: 'newest' };
  for (;;) {
    const page = { start, limit: PAGE_LIMIT_MAX };
    const rows: readonly ConsoleRow[] = await listRows(store, { noun }, { partnerId, mode: 'live' }, page);
    found.push(...rows.slice(0, PAGE_LIMIT_MAX));
    if (rows.length <= PAGE_LIMIT_MAX) return found;
    start = { kind: 'after', id: found.at(-1)?.id ?? '' };
  }
}
