import { parentPort } from 'node:worker_threads';
import type { Law, StoreSubject } from '@gateramp/conformance';

/** The result for a store with a fault: the law that caught it, and why; null if all laws hold. */
export interface Verdict {
  readonly caughtBy: string | null;
  readonly said: string;
}

/** Sends the first broken law to the thread that planted the fault. */
export async function judge(laws: readonly Law<StoreSubject>[], subject: StoreSubject): Promise<void> {
  parentPort?.postMessage(await verdict(laws, subject));
}

async function verdict(laws: readonly Law<StoreSubject>[], subject: StoreSubject): Promise<Verdict> {
  for (const law of laws) {
    try {
      await law.run(subject);
    } catch (error) {
      return { caughtBy: `${law.topic}: ${law.title}`, said: error instanceof Error ? error.message : String(error) };
    }
  }
  return { caughtBy: null, said: '' };
}
