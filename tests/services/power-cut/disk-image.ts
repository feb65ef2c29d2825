/** One call to the disk, as recorded by `disk-journal.c`. Names are relative to the folder; the folder's own name is empty. */
export interface DiskCall {
  readonly kind: 'create' | 'write' | 'truncate' | 'sync' | 'remove' | 'rename' | 'link';
  readonly name: string;
  /** The offset of a write, or the length after a truncation. */
  readonly offset: number;
  /** The written data, or the new name. */
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
  /** The offset of its record in the journal. */
  readonly at: number;
}

/** Ignores a partial record of a killed process: its call was not made. */
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

/** The record of a write. */
export function noteOf({ name, offset, data }: DiskCall): Buffer {
  const head = Buffer.alloc(HEAD);
  head.write('w', 0);
  head.writeUInt8(Buffer.byteLength(name), 1);
  head.writeUInt32LE(data.length, 2);
  head.writeBigUInt64LE(BigInt(offset), 6);
  return Buffer.concat([head, Buffer.from(name), data]);
}

/** The files of the folder: contents by name. */
export type Files = ReadonlyMap<string, Buffer>;

/** The effect of a power failure on calls that were not synced. */
export interface Fate {
  /** The number of kept calls on the folder itself, always the first ones: file systems keep their order. */
  readonly entriesKept: (waiting: number) => number;
  /** Whether a written sector is kept. Any sector may be kept or lost, independently of earlier ones. */
  readonly isKept: () => boolean;
}

/** The worst usual case: everything that was not synced is lost. */
export const DROPPED: Fate = { entriesKept: () => 0, isKept: () => false };
/** The machine stops, but the disk writes everything. */
export const ALL_KEPT: Fate = { entriesKept: (waiting) => waiting, isKept: () => true };

/** The worst allowed case: writes are partially kept, sector by sector. */
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

/** A pending folder entry: a file gets this name, or the name is removed. */
interface Entry {
  readonly name: string;
  readonly file: OpenFile | null;
}

/**
 * The files after a power failure that follows `calls` on a disk with the content `before`. The content of a file is durable once the file
 * was synced, and its name once the folder was; nothing else is.
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

/** Writes that were not followed by a sync of their file. */
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

/** Bytes that grow and change in place: a file is synced at every commit, and copying it each time would take most of the time. */
class Content {
  /** Shared with other instances until the first change. */
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

  /** Gaps read as zeros. */
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
