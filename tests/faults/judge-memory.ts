import { memoryStore } from '@gateramp/adapters-store-memory';
import { sandboxStoreLaws, storeLaws } from '@gateramp/conformance';
import { judge } from './verdict.js';

const SEED = 20_261_122;

await judge([...storeLaws, ...sandboxStoreLaws], {
  create: async () => ({ store: memoryStore(), close: async () => undefined }),
  model: { runs: 60, seed: SEED },
});
