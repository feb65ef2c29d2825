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
    findReply: (...args) => store.findReply(...args),
    reap: (...args) => store.reap(...args),
    find: (...args) => store.find(...args),
    list: (...args) => store.list(...args),
    readCounters: (...args) => store.readCounters(...args),
    claim: (...args) => store.claim(...args),
    claimOne: (...args) => store.claimOne(...args),
    recordDelivery: (...args) => store.recordDelivery(...args),
    nextDue: (...args) => store.nextDue(...args),
    ...(store.sandboxesDue === undefined ? {} : { sandboxesDue: store.sandboxesDue.bind(store) }),
    readConsumers: (...args) => store.readConsumers(...args),
    registerConsumers: (...args) => store.registerConsumers(...args),
    removeConsumer: (...args) => store.removeConsumer(...args),
    listAudit: (...args) => store.listAudit(...args),
    readSetting: (...args) => store.readSetting(...args),
    swapSetting: (...args) => store.swapSetting(...args),
    listSettings: (...args) => store.listSettings(...args),
  };
  return { ...engineSide, ...partners };
}

function partnerSide(tenants: PartnerStore): PartnerStore {
  return {
    findKey: (...args) => tenants.findKey(...args),
    findPartner: (...args) => tenants.findPartner(...args),
    findEndpoint: (...args) => tenants.findEndpoint(...args),
    save: (...args) => tenants.save(...args),
    noteKeyUse: (...args) => tenants.noteKeyUse(...args),
    listKeys: (...args) => tenants.listKeys(...args),
  };
}
