import { postgresStore as openStore } from '../src/index.js';

/** By the default of 2 s, a machine that stands still fails whichever test lists something at that time. */
const PAGE_TIMEOUT_MS = 60_000;

/** A store that waits for its pages as long as a paused machine needs. */
export const postgresStore: typeof openStore = (pool, options) =>
  openStore(pool, { pageTimeoutMs: PAGE_TIMEOUT_MS, ...options });
