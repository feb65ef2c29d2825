import {
  type AuditedChange,
  type AuditEntry,
  type AuditHead,
  digestedText,
  memberChanges,
  recordedActor,
  sortedJson,
} from '../domain/audit.js';
import { AUDIT_HEAD_SETTING, type AuditWrite } from '../ports/change.js';
import type { Engine } from './engine.js';

/** A failed try means that another writer added an entry, so a write gives up only after losing this many races. */
const TRIES_MAX = 100;

const PAGE = 500;

const EVERY = { partnerId: null, requestId: null } as const;

/**
 * Writes something together with its entries of the audit trail. The chain has one end, so a write that lost a race is retried
 * behind the new entry; an outcome that is stale for another reason is returned. Changes given as a function are computed again for each
 * try, after the end of the chain was read, so that no other audited change comes between what it reads and the write.
 */
export async function writeAudited<Outcome>(
  engine: Engine,
  changes: readonly AuditedChange[] | (() => Promise<readonly AuditedChange[]>),
  write: (audit: AuditWrite) => Promise<Outcome>,
  isStale: (outcome: Outcome) => boolean,
): Promise<Outcome> {
  const { store } = engine;
  for (let tries = 1; ; tries += 1) {
    const head = await store.readSetting(AUDIT_HEAD_SETTING);
    const outcome = await write(appended(engine, head, typeof changes === 'function' ? await changes() : changes));
    if (!isStale(outcome) || tries >= TRIES_MAX || (await store.readSetting(AUDIT_HEAD_SETTING)) === head)
      return outcome;
  }
}

function appended(engine: Engine, headText: string | null, changes: readonly AuditedChange[]): AuditWrite {
  const head = headText === null ? null : readHead(engine, headText);
  if (head === undefined) throw new Error(ALTERED_HEAD);
  let last = head;
  const entries: AuditEntry[] = [];
  for (const change of changes) {
    const entry = entryAfter(engine, last, change);
    entries.push(entry);
    last = entry;
  }
  return { expectedHead: headText, head: last === null ? '' : headTextOf(engine, last), entries };
}

const ALTERED_HEAD =
  'The setting audit_head was changed by something other than Gateramp, so nothing can be added to the audit trail. Run "gate audit verify".';

function entryAfter(engine: Engine, last: AuditHead | null, change: AuditedChange): AuditEntry {
  const { before, after, action, target, partnerId, mode, actor, reason, requestId } = change;
  const { clock, crypto, ids } = engine;
  const entry = {
    sequence: (last?.sequence ?? 0) + 1,
    id: `aud_${ids.secret(24)}`,
    at: clock.ofMode('live'),
    actor: recordedActor(actor),
    action,
    target,
    partnerId,
    mode,
    reason,
    requestId,
    changes: memberChanges(before, after),
    beforeDigest: before === null ? null : crypto.keyedHash('audit/row', sortedJson(before)),
    afterDigest: after === null ? null : crypto.keyedHash('audit/row', sortedJson(after)),
    previousDigest: last?.digest ?? null,
  };
  return { ...entry, digest: digestOf(engine, entry) };
}

function digestOf({ crypto }: Engine, entry: Omit<AuditEntry, 'digest'>): string {
  return crypto.keyedHash('audit/entry', digestedText(entry));
}

/** The head with a keyed seal, so that a forged one is detected. */
function headTextOf({ crypto }: Engine, { sequence, digest }: AuditHead): string {
  return `${sequence}.${digest}.${crypto.keyedHash('audit/head', `${sequence}.${digest}`)}`;
}

/** Undefined if the text was not written by this installation. */
function readHead(engine: Engine, text: string): AuditHead | undefined {
  const [sequence = '', digest = ''] = text.split('.');
  const head = { sequence: Number(sequence), digest };
  return Number.isInteger(head.sequence) && engine.crypto.equal(text, headTextOf(engine, head)) ? head : undefined;
}

/** The result of a check of the whole trail. */
export type AuditCheck =
  /** `head` is null while the trail is empty. Keep it elsewhere to notice a database that was set back as a whole. */
  | { readonly isIntact: true; readonly head: AuditHead | null }
  /** `sequence` is the place of the first entry that does not fit. */
  | { readonly isIntact: false; readonly sequence: number; readonly problem: string };

/** Checks every entry, and that none is missing. Includes entries that are added during the check. */
export async function verifyAudit(engine: Engine): Promise<AuditCheck> {
  const { store } = engine;
  let last: AuditHead | null = null;
  for (;;) {
    // Read first: every entry up to this head must exist.
    const headText = await store.readSetting(AUDIT_HEAD_SETTING);
    const position: number = last?.sequence ?? 0;
    const page = await store.listAudit({ ...EVERY, order: 'oldest_first', beyond: position, limit: PAGE });
    for (const entry of page) {
      const problem = problemOf(engine, entry, last);
      if (problem !== null) return { isIntact: false, sequence: (last?.sequence ?? 0) + 1, problem };
      last = { sequence: entry.sequence, digest: entry.digest };
    }
    if (page.length > 0) continue;
    return headCheck(engine, headText, last);
  }
}

function problemOf(engine: Engine, entry: AuditEntry, last: AuditHead | null): string | null {
  const expected = (last?.sequence ?? 0) + 1;
  if (entry.sequence !== expected) return `Entry ${expected} is missing.`;
  if (entry.previousDigest !== (last?.digest ?? null))
    return `Entry ${expected} does not follow the one before it: one of them was changed.`;
  if (!engine.crypto.equal(entry.digest, digestOf(engine, entry))) return `Entry ${expected} was changed.`;
  return null;
}

function headCheck(engine: Engine, headText: string | null, last: AuditHead | null): AuditCheck {
  const sequence = (last?.sequence ?? 0) + 1;
  if (headText === null)
    return last === null
      ? { isIntact: true, head: null }
      : { isIntact: false, sequence, problem: 'The record of the newest entry (the setting audit_head) is missing.' };
  const head = readHead(engine, headText);
  if (head === undefined)
    return {
      isIntact: false,
      sequence,
      problem: 'The record of the newest entry (the setting audit_head) was changed.',
    };
  if (head.sequence > (last?.sequence ?? 0))
    return { isIntact: false, sequence, problem: `Entries ${sequence} to ${head.sequence} are missing at the end.` };
  // Entries beyond the head, or another digest: the setting was set back.
  return head.sequence === last?.sequence && head.digest === last.digest
    ? { isIntact: true, head }
    : {
        isIntact: false,
        sequence,
        problem: 'The record of the newest entry (the setting audit_head) is of an earlier one.',
      };
}

/** A page of the trail, newest first. */
export function listAudit(
  { store }: Engine,
  page: { readonly partnerId?: string; readonly requestId?: string; readonly before?: number; readonly limit?: number },
): Promise<readonly AuditEntry[]> {
  const { partnerId = null, requestId = null, before = null, limit = PAGE } = page;
  return store.listAudit({ partnerId, requestId, order: 'newest_first', beyond: before, limit: Math.min(limit, PAGE) });
}
