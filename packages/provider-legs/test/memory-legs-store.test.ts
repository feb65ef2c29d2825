import { memoryStore } from '@gateramp/adapters-store-memory';
import { describeLaws, legsStoreLaws } from '@gateramp/conformance';
import { memoryLegsStore } from '@gateramp/provider-legs';
import { describe, it } from 'vitest';

const subject = {
  create: async () => {
    const gateStore = memoryStore();
    return { store: memoryLegsStore(gateStore), gateStore, close: async () => undefined };
  },
};
describeLaws(legsStoreLaws, subject, { describe, it });
