import { memoryStore } from '@gateramp/adapters-store-memory';
import { describeLaws, engineStoreLaws, storeLaws, type EngineStoreSubject } from '@gateramp/conformance';
import type { EngineStore, Store } from '@gateramp/core/ports';
import { describe, expect, it } from 'vitest';
import { storeFaults } from './faults/store-faults.js';

/** All methods except those of partners, which are absent. */
function engineOnly(store: Store): EngineStore {
  const { findKey, findPartner, findEndpoint, save, noteKeyUse, listKeys, readTime, ...engine } = store;
  return engine;
}

function subjectOf(storeOf: () => Store): EngineStoreSubject {
  return { create: async () => ({ store: engineOnly(storeOf()), close: async () => undefined }), model: { runs: 10 } };
}

describe('a store without a method for partners', () => {
  describeLaws(engineStoreLaws, subjectOf(memoryStore), { describe, it });
});

describe('the laws of engine stores', () => {
  const titles = engineStoreLaws.map(({ title }) => title);

  it('are those of a store, but for what only partners, keys and endpoints are about', () => {
    const others = storeLaws.filter(({ title }) => !titles.includes(title));
    expect([...new Set(others.map(({ topic }) => topic))]).toEqual([
      'Store: deliveries',
      'Store: endpoints that are written in a commit',
      'Store: partners, keys and endpoints',
      'Store: audit trail of partners, keys and endpoints',
    ]);
    expect(others.filter(({ topic }) => topic === 'Store: deliveries')).toHaveLength(1);
  });

  it('catch a faulty engine store', async () => {
    const faulty = subjectOf(() => storeFaults['check, await, write'](memoryStore()));
    const broken = await Promise.all(
      engineStoreLaws.map((law) =>
        law.run(faulty).then(
          () => false,
          () => true,
        ),
      ),
    );
    expect(broken).toContain(true);
  });
});
