import { Outage, type Change, type EngineStore, type PartnerStore, type Store } from '@gateramp/core/ports';
import { memoryStore } from '@gateramp/adapters-store-memory';

/**
 * A host with its own tenants next to the engine: the host answers questions about partners, and decides whether a delivery is
 * wanted before the change reaches the store.
 */
export function partnersOfTheHost(): (store: EngineStore) => Store {
  const tenants = memoryStore();
  return (store) =>
    together(store, partnerSide(tenants), async (change) => {
      const endpoint = await tenants.findEndpoint(change.scope);
      const isWanted = endpoint !== null && endpoint.url !== null;
      return store.commit({
        ...change,
        deliveries: change.deliveries.flatMap(({ row, when }) =>
          when === 'always' || isWanted ? [{ row, when: 'always' as const }] : [],
        ),
      });
    });
}

/** A host that is unavailable together with the store. */
export function tenantsAway(store: EngineStore): Store {
  const away = (): Promise<never> => Promise.reject(new Outage('The host’s tenants are away.'));
  const partners: PartnerStore = {
    findKey: away,
    findPartner: away,
    findEndpoint: away,
    save: away,
    noteKeyUse: away,
    listKeys: away,
  };
  return together(store, partners, (change) => store.commit(change));
}

function together(
  store: EngineStore,
  partners: PartnerStore,
  commit: (change: Change) => ReturnType<EngineStore['commit']>,
): Store {
  const engineSide: EngineStore = {
    isDurable: store.isDurable,
    commit,
    findReply: (...asked) => store.findReply(...asked),
    reap: (...asked) => store.reap(...asked),
    find: (...asked) => store.find(...asked),
    list: (...asked) => store.list(...asked),
    readCounters: (...asked) => store.readCounters(...asked),
    claim: (...asked) => store.claim(...asked),
    claimOne: (...asked) => store.claimOne(...asked),
    recordDelivery: (...asked) => store.recordDelivery(...asked),
    nextDue: (...asked) => store.nextDue(...asked),
    readConsumers: (...asked) => store.readConsumers(...asked),
    registerConsumers: (...asked) => store.registerConsumers(...asked),
    removeConsumer: (...asked) => store.removeConsumer(...asked),
    listAudit: (...asked) => store.listAudit(...asked),
    readSetting: (...asked) => store.readSetting(...asked),
    swapSetting: (...asked) => store.swapSetting(...asked),
  };
  return { ...engineSide, ...partners };
}

function partnerSide(tenants: PartnerStore): PartnerStore {
  return {
    findKey: (...asked) => tenants.findKey(...asked),
    findPartner: (...asked) => tenants.findPartner(...asked),
    findEndpoint: (...asked) => tenants.findEndpoint(...asked),
    save: (...asked) => tenants.save(...asked),
    noteKeyUse: (...asked) => tenants.noteKeyUse(...asked),
    listKeys: (...asked) => tenants.listKeys(...asked),
  };
}
