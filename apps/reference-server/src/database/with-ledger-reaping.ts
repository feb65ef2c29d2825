import type { Store } from '@gateramp/core/ports';
import type { PostgresSandboxLedger } from './sandbox-ledger.js';

/** The same store, whose reaping goes on with the sandbox's books: a worker then does both, now and then and in batches of one size. */
export function withLedgerReaping(store: Store, ledger: Pick<PostgresSandboxLedger, 'reap'>): Store {
  return {
    ...store,
    reap: async (request) => {
      const deleted = await store.reap(request);
      const left = request.limit - deleted;
      return left <= 0 ? deleted : deleted + (await ledger.reap({ ...request, limit: left }));
    },
  };
}
