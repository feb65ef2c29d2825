import { parentPort } from 'node:worker_threads';
import { memoryStore } from '@gateramp/adapters-store-memory';
import { storeLaws, type StoreSubject } from '@gateramp/conformance';

/**
 * What is found of a store with a fault: the law that caught it, and why; null where all laws hold. Runs in a worker,
 * bundled with the fault.
 */
export interface Verdict {
  readonly caughtBy: string | null;
  readonly said: string;
}

const SEED = 20_261_122;

const subject: StoreSubject = {
  create: async () => ({ store: memoryStore(), close: async () => undefined }),
  model: { runs: 60, seed: SEED },
};

async function verdict(): Promise<Verdict> {
  for (const law of storeLaws) {
    try {
      await law.run(subject);
    } catch (error) {
      return { caughtBy: `${law.topic}: ${law.title}`, said: error instanceof Error ? error.message : String(error) };
    }
  }
  return { caughtBy: null, said: '' };
}

parentPort?.postMessage(await verdict());
