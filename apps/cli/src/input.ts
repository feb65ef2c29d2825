import { readFileSync } from 'node:fs';
import { UsageError } from './exit-codes.js';

/** Reads a file, or standard input for `-`. */
export async function bytesOf(path: string): Promise<Uint8Array> {
  if (path === '-') return standardInput();
  try {
    return readFileSync(path);
  } catch (error) {
    throw new UsageError(`${path} could not be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

export async function standardInput(): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  // No encoding is set, so the chunks are bytes.
  for await (const chunk of process.stdin) chunks.push(chunk as Uint8Array);
  return Buffer.concat(chunks);
}
