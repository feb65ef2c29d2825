import type { Place } from './place.js';
import type { Rpc } from './rpc.js';

/** Moves the watcher's cursor back, so that it reads the block again. */
export async function readAgain({ documents, network, now }: Place, rpc: Rpc, block: number): Promise<void> {
  const before = await rpc.blockAt(block - 1);
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const cursor = await documents.load('evm_cursor', network.network);
    if (cursor === null || before === null || cursor.body.number < block) return;
    const { number, hash } = before;
    const headers = [...cursor.body.headers.filter((header) => header.number < number), { number, hash }];
    const body = { ...cursor.body, number, hash, headers };
    if (await documents.commit({ kind: 'evm_cursor', next: { ...cursor, dueAt: now(), body } })) return;
  }
}

/** Tries to move the cursor, which the watcher also writes. After the last one, only the alarm remains. */
const TRIES_MAX = 5;
