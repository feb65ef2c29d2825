/** One call that came to the disk, as `disk-journal.c` notes it. Names are within the folder; the folder's own is empty. */
export interface DiskCall {
  readonly kind: 'create' | 'write' | 'truncate' | 'sync' | 'remove' | 'rename' | 'link';
  readonly name: string;
  /** Where a write begins, or how long a file is after a truncation. */
  readonly offset: number;
  /** What was written, or the new name. */
  readonly data: Buffer;
}

const KINDS: Readonly<Record<string, DiskCall['kind']>> = {
  c: 'create',
  w: 'write',
  t: 'truncate',
  s: 'sync',
  u: 'remove',
  r: 'rename',
  l: 'link',
};
const HEAD = 14;

export interface NotedCall extends DiskCall {
  /** Where its note begins in the journal. */
  readonly at: number;
}

/** A note that a killed process has left half written is not there: what it is about was not done. */
export function readCalls(journal: Buffer): NotedCall[] {
  const calls: NotedCall[] = [];
  for (let at = 0; at + HEAD <= journal.length;) {
    const kind = KINDS[String.fromCharCode(journal.readUInt8(at))];
    if (kind === undefined) throw new Error(`The disk journal makes no sense at ${at}.`);
    const name = at + HEAD;
    const data = name + journal.readUInt8(at + 1);
    const end = data + journal.readUInt32LE(at + 2);
    if (end > journal.length) break;
    const offset = Number(journal.readBigUInt64LE(at + 6));
    calls.push({ at, kind, name: journal.toString('utf8', name, data), offset, data: journal.subarray(data, end) });
    at = end;
  }
  return calls;
}

/** The note of a write. */
export function noteOf({ name, offset, data }: DiskCall): Buffer {
  const head = Buffer.alloc(HEAD);
  head.write('w', 0);
  head.writeUInt8(Buffer.byteLength(name), 1);
  head.writeUInt32LE(data.length, 2);
  head.writeBigUInt64LE(BigInt(offset), 6);
  return Buffer.concat([head, Buffer.from(name), data]);
}

/** What lies in the folder: contents by name. */
export type Files = ReadonlyMap<string, Buffer>;

/** What happens to calls that no sync came after. */
export interface Fate {
  /** Of these calls on the folder itself the first so many are kept: file systems keep them in order. */
  readonly entriesKept: (waiting: number) => number;
  /** Of writes any sector may have come to the disk, and any not, whatever came before it. */
  readonly isKept: () => boolean;
}

/** The worst that is usual: what was not synced is not there. */
export const DROPPED: Fate = { entriesKept: () => 0, isKept: () => false };
/** A machine that stopped, with a disk that did not. */
export const ALL_KEPT: Fate = { entriesKept: (waiting) => waiting, isKept: () => true };

/** The worst that is allowed: a part is there, sector by sector. */
export function torn(chance: () => number): Fate {
  return {
    entriesKept: (waiting) => Math.floor(chance() * (waiting + 1)),
    isKept: () => chance() < 0.5,
  };
}

const SECTOR = 512;

interface OpenFile {
  readonly synced: Content;
  readonly waiting: DiskCall[];
}

/** One entry of the folder, on its way to the disk: a file has this name now, or none has. */
interface Entry {
  readonly name: string;
  readonly file: OpenFile | null;
}

/**
 * What is found after a power cut that came after `calls` on a disk that held `before`. A file's content is safe once the file was synced,
 * and its name once the folder was: nothing else is.
 */
export function filesAfterCut(before: Files, calls: readonly DiskCall[], fate: Fate): Files {
  const onDisk = new Map<string, OpenFile>();
  for (const [name, content] of before) onDisk.set(name, { synced: new Content(content), waiting: [] });
  const now = new Map(onDisk);
  const entries: Entry[] = [];
  const enter = (...more: readonly Entry[]): void => {
    for (const entry of more) settle(now, entry);
    entries.push(...more);
  };
  for (const call of calls) {
    const { kind, name } = call;
    if (kind === 'create') enter({ name, file: { synced: new Content(Buffer.alloc(0)), waiting: [] } });
    else if (kind === 'remove') enter({ name, file: null });
    else if (kind === 'link') enter({ name: call.data.toString(), file: fileOf(now, name) });
    else if (kind === 'rename') enter({ name: call.data.toString(), file: fileOf(now, name) }, { name, file: null });
    else if (kind !== 'sync') fileOf(now, name).waiting.push(call);
    else if (name === '') for (const entry of entries.splice(0)) settle(onDisk, entry);
    else {
      const file = fileOf(now, name);
      for (const waiting of file.waiting.splice(0)) apply(file.synced, waiting, ALL_KEPT);
    }
  }
  for (const entry of entries.slice(0, fate.entriesKept(entries.length))) settle(onDisk, entry);
  return new Map([...onDisk].map(([name, file]) => [name, contentOf(file, fate)]));
}

/** Writes that no sync of their file came after. */
export function unsynced(calls: readonly DiskCall[]): readonly DiskCall[] {
  const syncedUntil = new Map<string, number>();
  for (const [nth, { kind, name }] of calls.entries()) if (kind === 'sync') syncedUntil.set(name, nth);
  return calls.filter(({ kind, name }, nth) => kind === 'write' && nth > (syncedUntil.get(name) ?? -1));
}

function settle(files: Map<string, OpenFile>, { name, file }: Entry): void {
  if (file === null) files.delete(name);
  else files.set(name, file);
}

function fileOf(files: ReadonlyMap<string, OpenFile>, name: string): OpenFile {
  const file = files.get(name);
  if (file === undefined) throw new Error(`The disk journal tells of ${name}, which was never made.`);
  return file;
}

function contentOf({ synced, waiting }: OpenFile, fate: Fate): Buffer {
  if (waiting.length === 0) return synced.bytes();
  const content = new Content(synced.bytes());
  for (const call of waiting) apply(content, call, fate);
  return content.bytes();
}

function apply(content: Content, { kind, offset, data }: DiskCall, { isKept }: Fate): void {
  if (kind === 'truncate') {
    if (isKept()) content.resize(offset);
    return;
  }
  for (let from = 0; from < data.length;) {
    const to = Math.min(data.length, from + SECTOR - ((offset + from) % SECTOR));
    if (isKept()) content.write(data.subarray(from, to), offset + from);
    from = to;
  }
}

/** Bytes that grow and change in place: a file is synced at every commit, and copying it each time takes longer than all else. */
class Content {
  /** It is another party's until it is first changed. */
  private isOwn = false;
  private length: number;

  constructor(private room: Buffer) {
    this.length = room.length;
  }

  bytes(): Buffer {
    return this.room.subarray(0, this.length);
  }

  write(data: Buffer, at: number): void {
    this.resize(Math.max(this.length, at + data.length));
    data.copy(this.room, at);
  }

  /** What was never written reads as zeros. */
  resize(length: number): void {
    if (!this.isOwn || length > this.room.length) {
      const room = Buffer.alloc(Math.max(length, this.isOwn ? 2 * this.room.length : this.length));
      this.room.copy(room, 0, 0, this.length);
      this.room = room;
      this.isOwn = true;
    }
    if (length < this.length) this.room.fill(0, length, this.length);
    this.length = length;
  }
}
