import { describeLaws, unfinishedWorkLaws } from '@gateramp/conformance';
import { describe, it } from 'vitest';
import { memoryStore } from '../src/index.js';

describeLaws(
  unfinishedWorkLaws,
  {
    create: async () => {
      const store = memoryStore();
      return { work: store, store, close: async () => undefined };
    },
  },
  { describe, it },
);
