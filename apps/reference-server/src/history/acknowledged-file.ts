import type { Redis } from 'ioredis';
import { randomUUID } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { atMost } from '@gateramp/core/runtime';
import { type Acknowledged, newest, type SeenHead, TOLD_MAX } from './acknowledged.js';

/** A record of acknowledged rows outside of the database, which a restore does not affect. */
export interface AcknowledgedLog {
  /** The rows that any process of this installation has acknowledged; empty if unknown. */
  read(installation: string): Promise<readonly Acknowledged[]>;
  add(installation: string, told: readonly Acknowledged[]): Promise<void>;
  /** The end of the audit trail that was kept last; null if unknown. */
  readHead(installation: string): Promise<SeenHead | null>;
  /** Keeps a later end, or one that follows a `former` one which is given up. */
  keepHead(installation: string, head: SeenHead, former: SeenHead | null): Promise<void>;
}

interface FileContent {
  /** Identifies the file while it stays in place. */
  readonly token: string;
  readonly installation: string | null;
  readonly told: readonly Acknowledged[];
  /** Absent in files of earlier versions. */
  readonly head?: SeenHead;
}

export interface AcknowledgedFile extends AcknowledgedLog {
  readonly token: string;
  /** Whether there was no file. */
  readonly isNew: boolean;
}

/** A file of one process. Throws if it cannot be read or written. */
export async function acknowledgedFile(path: string): Promise<AcknowledgedFile> {
  const known = await readContent(path);
  let content = known ?? { token: randomUUID(), installation: null, told: [] };
  const writeContent = async (): Promise<void> => {
    const draft = `${path}.draft`;
    await writeFile(draft, JSON.stringify(content), { mode: 0o600, flush: true });
    await rename(draft, path);
  };
  // Sequential, since there is a single draft.
  let writing = Promise.resolve();
  const write = (): Promise<void> => (writing = writing.then(writeContent, writeContent));
  await write();
  const contentOf = (installation: string): FileContent =>
    content.installation === installation ? content : { token: content.token, installation, told: [] };
  return {
    token: content.token,
    isNew: known === null,
    read: (installation) => Promise.resolve(contentOf(installation).told),
    add: async (installation, told) => {
      const before = contentOf(installation);
      content = { ...before, told: newest([...before.told, ...told]) };
      await write();
    },
    readHead: (installation) => Promise.resolve(contentOf(installation).head ?? null),
    keepHead: async (installation, head) => {
      content = { ...contentOf(installation), head };
      await write();
    },
  };
}

async function readContent(path: string): Promise<FileContent | null> {
  try {
    // Written above with this type.
    return JSON.parse(await readFile(path, 'utf8')) as FileContent;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw new Error(`The state file ${path} cannot be read. Remove it if it is damaged.`, { cause: error });
  }
}

/** A list in Redis that all processes share. An unavailable Redis is not waited for; the list is then empty. */
export function redisLog(redis: Redis): AcknowledgedLog {
  const list = (installation: string): string => `gateramp:told:${installation}`;
  const heads = (installation: string): string => `gateramp:audit_head:${installation}`;
  return {
    read: async (installation) => {
      const texts = await inTime(redis.lrange(list(installation), 0, TOLD_MAX - 1)).catch(() => []);
      // Pushed below.
      return texts.map((text) => JSON.parse(text) as Acknowledged);
    },
    add: async (installation, told) => {
      const texts = told.map((one) => JSON.stringify(one));
      await inTime(
        redis
          .multi()
          .lpush(list(installation), ...texts)
          .ltrim(list(installation), 0, TOLD_MAX - 1)
          .exec(),
      );
    },
    readHead: async (installation) => {
      const [text] = await inTime(redis.zrange(heads(installation), -1, -1)).catch(() => []);
      // Added below.
      return text === undefined ? null : (JSON.parse(text) as SeenHead);
    },
    keepHead: async (installation, head, former) => {
      const changes = redis.multi();
      if (former !== null) changes.zrem(heads(installation), JSON.stringify(former));
      // Of racing processes, the one that saw the latest end wins.
      changes.zadd(heads(installation), head.sequence, JSON.stringify(head));
      await inTime(changes.zremrangebyrank(heads(installation), 0, -2).exec());
    },
  };
}

const REDIS_ANSWER_MAX_MS = 1_000;

async function inTime<Value>(work: Promise<Value>): Promise<Value> {
  const done = await atMost(
    REDIS_ANSWER_MAX_MS,
    work.then((value) => ({ value })),
  );
  if (done === null) throw new Error('Redis did not answer in time.');
  return done.value;
}
