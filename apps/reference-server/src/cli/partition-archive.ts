import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import type { DetachedPartition } from '@gateramp/adapters-store-postgres';
import { syncFolder } from '../data-dir/write-synced.js';
import { CommandError } from './command-error.js';

/** The description of an archive file, stored next to it. */
export interface ArchiveManifest {
  readonly object: 'partition_archive';
  readonly table: string;
  readonly partition: string;
  /** Compressed newline-delimited JSON: a row of the table on each line. */
  readonly file: string;
  readonly rows: number;
  readonly bytes: number;
  /** Of the compressed file, in hex. */
  readonly sha256: string;
  readonly columns: readonly string[];
  /** The number of migrations of the database. */
  readonly schema_version: number;
  readonly written_at: string;
}

/**
 * Writes `<partition>.ndjson.gz` and `<partition>.manifest.json`, synced to the disk, and reads the file back before it returns. The file
 * contains what the tables contain, personal data of buyers included: only the owner may read it.
 */
export async function writeArchive(folder: string, partition: DetachedPartition): Promise<ArchiveManifest> {
  try {
    return await write(folder, partition);
  } catch (error) {
    // A full disk names no path. Other errors are of the database that is read.
    const isOfFolder = error instanceof Error && ('path' in error || ('code' in error && error.code === 'ENOSPC'));
    if (!isOfFolder) throw error;
    throw new CommandError(`The archive cannot be written to ${folder}: ${error.message}.`);
  }
}

async function write(folder: string, partition: DetachedPartition): Promise<ArchiveManifest> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = `${partition.name}.ndjson.gz`;
  const draft = join(folder, `${file}.partial`);
  let rows = 0;
  const hash = createHash('sha256');
  let bytes = 0;
  const lines = async function* () {
    for await (const page of partition.rows()) {
      rows += page.length;
      yield `${page.join('\n')}\n`;
    }
  };
  const hashed = async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      hash.update(chunk);
      bytes += chunk.length;
      yield chunk;
    }
  };
  await pipeline(lines, createGzip(), hashed, createWriteStream(draft, { mode: 0o600, flush: true }));
  renameSync(draft, join(folder, file));
  const manifest: ArchiveManifest = {
    object: 'partition_archive',
    table: partition.table,
    partition: partition.name,
    file,
    rows,
    bytes,
    sha256: hash.digest('hex'),
    columns: partition.columns,
    schema_version: partition.schemaVersion,
    written_at: new Date().toISOString(),
  };
  const path = join(folder, `${partition.name}.manifest.json`);
  writeFileSync(`${path}.partial`, `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600, flush: true });
  renameSync(`${path}.partial`, path);
  syncFolder(folder);
  await verifyArchive(path);
  return manifest;
}

const LINE_END = 10;

/** Reads the whole file that a manifest describes. Throws if it is not what was written. */
export async function verifyArchive(path: string): Promise<ArchiveManifest> {
  const manifest = readManifest(path);
  const hash = createHash('sha256');
  let rows = 0;
  const isReadable = await pipeline(
    createReadStream(join(dirname(path), manifest.file)),
    async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        hash.update(chunk);
        yield chunk;
      }
    },
    createGunzip(),
    async (chunks: AsyncIterable<Buffer>) => {
      for await (const chunk of chunks) for (const byte of chunk) if (byte === LINE_END) rows += 1;
    },
  ).then(
    () => true,
    () => false,
  );
  if (!isReadable || hash.digest('hex') !== manifest.sha256 || rows !== manifest.rows)
    throw new CommandError(`The archive ${manifest.file} is damaged: it does not match its manifest.`);
  return manifest;
}

function readManifest(path: string): ArchiveManifest {
  try {
    const manifest = JSON.parse(readFileSync(path, 'utf8')) as ArchiveManifest;
    // Written above; another file has no checksum to match.
    if (typeof manifest.file !== 'string') throw new TypeError('It names no file');
    return manifest;
  } catch (error) {
    throw new CommandError(
      `The manifest ${path} cannot be read: ${error instanceof Error ? error.message : 'unknown'}.`,
    );
  }
}
