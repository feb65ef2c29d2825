import {
  type AuditContext,
  type AuditedChange,
  type AuditEntry,
  type AuditHead,
  digestedText,
  memberChanges,
  recordedActor,
  sortedJson,
} from '../domain/audit.js';
import type { Instant } from '../domain/instant.js';
import { AUDIT_HEAD_SETTING, AuditAlteredError, type AuditWrite } from '../ports/change.js';
import { type AuditFilter, EVERY_ENTRY } from '../ports/store.js';
import type { Engine } from './engine.js';
import { unrecordedAccess } from './recorded-access.js';

/** A failed try means that another writer added an entry, so a write gives up only after losing this many races. */
const TRIES_MAX = 100;

const PAGE = 500;

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
    const made = typeof changes === 'function' ? await changes() : changes;
    const isAcceptance = made.some(({ action }) => action === ACCEPTANCE.action);
    const last = await (isAcceptance ? acceptedEnd : recordedEnd)(engine, head);
    const outcome = await write(appended(engine, { expectedHead: head, last }, made));
    if (!isStale(outcome) || tries >= TRIES_MAX || (await store.readSetting(AUDIT_HEAD_SETTING)) === head)
      return outcome;
  }
}

/** The end that the setting names. Throws an `AuditAlteredError` if it cannot be right. */
async function recordedEnd(engine: Engine, headText: string | null): Promise<AuditHead | null> {
  const head = headText === null ? null : readHead(engine, headText);
  const [newest] = await listAudit(engine, { limit: 1 });
  // Another writer may have added an entry, and changed the setting with it.
  const isTrue =
    head !== undefined &&
    ((newest?.sequence ?? 0) <= (head?.sequence ?? 0) ||
      (await engine.store.readSetting(AUDIT_HEAD_SETTING)) !== headText);
  if (!isTrue) throw new AuditAlteredError(ALTERED_HEAD);
  return head;
}

/** The end of the entries that are there, or the one that the setting names if entries beyond it are missing. */
async function acceptedEnd(engine: Engine, headText: string | null): Promise<AuditHead | null> {
  const head = headText === null ? null : (readHead(engine, headText) ?? null);
  const [newest] = await listAudit(engine, { limit: 1 });
  return newest !== undefined && newest.sequence >= (head?.sequence ?? 0) ? newest : head;
}

function appended(
  engine: Engine,
  { expectedHead, last: before }: { readonly expectedHead: string | null; readonly last: AuditHead | null },
  changes: readonly AuditedChange[],
): AuditWrite {
  let last = before;
  const entries: AuditEntry[] = [];
  for (const change of changes) {
    const entry = entryAfter(engine, last, change);
    entries.push(entry);
    last = entry;
  }
  return { expectedHead, head: last === null ? '' : headTextOf(engine, last), entries };
}

const ALTERED_HEAD =
  'The setting audit_head was changed by something other than Gateramp, so nothing can be added to the audit trail. Run "gate audit verify", then "gate audit accept".';

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
  /** `sequence` is the place of the first entry that does not fit; null if all fit, but something stored has no entry. */
  | { readonly isIntact: false; readonly sequence: number | null; readonly problem: string };

/**
 * Checks every entry, that none is missing, that the trail contains the entry of an earlier check, and that whatever gives access has an
 * entry of its creation. Includes entries that are added during the check.
 */
export async function verifyAudit(engine: Engine, atLeast: AuditHead | null = null): Promise<AuditCheck> {
  const { store } = engine;
  // Before the entries, which are written in the same commit.
  const unrecorded = await unrecordedAccess(engine);
  let last: AuditHead | null = null;
  for (;;) {
    // Read first: every entry up to this head must exist.
    const headText = await store.readSetting(AUDIT_HEAD_SETTING);
    const position: number = last?.sequence ?? 0;
    const page = await store.listAudit({ ...EVERY_ENTRY, order: 'oldest_first', beyond: position, limit: PAGE });
    for (const entry of page) {
      const problem = problemOf(engine, entry, last) ?? otherThan(atLeast, entry);
      if (problem !== null) return { isIntact: false, sequence: (last?.sequence ?? 0) + 1, problem };
      unrecorded.remove(entry);
      last = { sequence: entry.sequence, digest: entry.digest };
    }
    if (page.length > 0) continue;
    const check = headCheck(engine, headText, last);
    if (!check.isIntact) return check;
    const end = last?.sequence ?? 0;
    if (atLeast !== null && end < atLeast.sequence)
      return { isIntact: false, sequence: end + 1, problem: missingUpTo(end + 1, atLeast.sequence) };
    const problem = unrecorded.problem();
    return problem === null ? check : { isIntact: false, sequence: null, problem };
  }
}

function otherThan(known: AuditHead | null, { sequence, digest }: AuditEntry): string | null {
  if (known?.sequence !== sequence || known.digest === digest) return null;
  return `Entry ${sequence} is not the one that was there before: entries were removed, and others added since.`;
}

function missingUpTo(first: number, last: number): string {
  return first === last
    ? `Entry ${first} is missing at the end.`
    : `Entries ${first} to ${last} are missing at the end.`;
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
    return { isIntact: false, sequence, problem: missingUpTo(sequence, head.sequence) };
  // Entries beyond the head, or another digest: the setting was set back.
  return head.sequence === last?.sequence && head.digest === last.digest
    ? { isIntact: true, head }
    : {
        isIntact: false,
        sequence,
        problem: 'The record of the newest entry (the setting audit_head) is of an earlier one.',
      };
}

/** The end of a trail, as remembered outside of the database. */
export interface RememberedHead extends AuditHead {
  /** When the entry was recorded. */
  readonly at: Instant;
}

/** The result of a comparison with a remembered end of the trail. */
export interface AuditComparison {
  /** The present end; null if the trail is empty, or its end cannot be trusted. */
  readonly head: RememberedHead | null;
  /** Whether the trail no longer contains the remembered entry, and no operator has accepted this since. */
  readonly isSetBack: boolean;
}

/** Entries of these actions accept a trail that was set back before. */
const ACCEPTANCES = ['audit.accept', 'history.accept'] as const;

/** The change that accepts the trail as it is: it is continued after its newest entry, whatever became of the record of its end. */
export const ACCEPTANCE: Omit<AuditedChange, keyof AuditContext> = {
  ...{ action: ACCEPTANCES[0], target: { type: 'audit', id: 'trail' } },
  ...{ partnerId: null, mode: null, before: null, after: null },
};

/** Whether the trail still contains an entry that it had. Reads a few entries only, so it can be repeated often; see `verifyAudit`. */
export async function compareAudit(engine: Engine, remembered: RememberedHead | null): Promise<AuditComparison> {
  const { store } = engine;
  const headText = await store.readSetting(AUDIT_HEAD_SETTING);
  const last = headText === null ? null : (readHead(engine, headText) ?? null);
  if (remembered !== null && last?.digest === remembered.digest) return { head: remembered, isSetBack: false };
  const entryAt = async (sequence: number): Promise<AuditEntry | undefined> =>
    (await store.listAudit({ ...EVERY_ENTRY, order: 'oldest_first', beyond: sequence - 1, limit: 1 }))[0];
  const newest = last === null ? undefined : await entryAt(last.sequence);
  const head = last === null || newest?.digest !== last.digest ? null : { ...last, at: newest.at };
  if (remembered === null) return { head, isSetBack: false };
  const isKept = last !== null && (await entryAt(remembered.sequence))?.digest === remembered.digest;
  return { head, isSetBack: !isKept && !(await isAccepted(engine, remembered)) };
}

async function isAccepted(engine: Engine, { at }: RememberedHead): Promise<boolean> {
  for (const action of ACCEPTANCES) {
    const page = { ...EVERY_ENTRY, action, from: at + 1, order: 'newest_first', beyond: null, limit: 1 } as const;
    const [entry] = await engine.store.listAudit(page);
    // Only an installation that has the keys writes this digest.
    if (entry !== undefined && engine.crypto.equal(entry.digest, digestOf(engine, entry))) return true;
  }
  return false;
}

/** A page of the trail: its filters, and where it begins. */
export type AuditPage = { readonly [Name in keyof AuditFilter]?: NonNullable<AuditFilter[Name]> } & {
  readonly before?: number;
  readonly limit?: number;
};

/** A page of the trail, newest first. */
export function listAudit(
  { store }: Engine,
  { before, limit = PAGE, ...filter }: AuditPage,
): Promise<readonly AuditEntry[]> {
  const page = { order: 'newest_first', beyond: before ?? null, limit: Math.min(limit, PAGE) } as const;
  return store.listAudit({ ...EVERY_ENTRY, ...filter, ...page });
}
