import type { EngineStore } from '@gateramp/core/ports';
import type { Law } from '../law.js';
import { savedAuditLaws } from './audit-laws.js';
import { NEEDS_AN_ENDPOINT } from './delivery-laws.js';
import { endpointLaws } from './endpoint-laws.js';
import { partnerLaws } from './partner-laws.js';
import { storeLaws } from './store-laws.js';
import type { StoreOnTrial, StoreSubject } from './store-subject.js';
import { partnersOfTheHost, tenantsAway } from './with-partners.js';

/** Like `StoreSubject`, for a store without partners. */
export interface EngineStoreSubject extends Pick<StoreSubject, 'model'> {
  /** A new, empty store each time. */
  create(): Promise<EngineStoreOnTrial>;
  /** A store whose database is unreachable. Required for a durable store. */
  readonly unreachable?: () => Promise<OpenEngineStore>;
}

/** An open store without partners, and a way to close it. */
export interface OpenEngineStore {
  readonly store: EngineStore;
  readonly close: () => Promise<void>;
}

/** A new store without partners, and a way to reopen its data. */
export interface EngineStoreOnTrial extends OpenEngineStore {
  /** Opens the stored data again over new connections. Required for a durable store. */
  readonly reopen?: () => Promise<OpenEngineStore>;
  /** As in `StoreOnTrial`. Required for a durable store. */
  readonly breakWrites?: StoreOnTrial['breakWrites'];
}

/** Laws that only apply to a store with partners, their keys and their endpoints. */
const lawsOfPartners: ReadonlySet<Law<StoreSubject>> = new Set([...endpointLaws, ...partnerLaws, ...savedAuditLaws]);

const lawsOfTheEngine = storeLaws.filter((law) => !lawsOfPartners.has(law) && law.title !== NEEDS_AN_ENDPOINT);

/**
 * The laws of `EngineStore`: for a store used with a host's own tenants. The partners of a law are kept by the kit on
 * behalf of the host; the store never sees them.
 */
export const engineStoreLaws: readonly Law<EngineStoreSubject>[] = lawsOfTheEngine.map((law) => ({
  ...law,
  run: (subject) => law.run(besideAHost(subject)),
}));

function besideAHost(subject: EngineStoreSubject): StoreSubject {
  const { unreachable, model } = subject;
  return {
    ...(model === undefined ? {} : { model }),
    async create() {
      const { store, close, reopen, breakWrites } = await subject.create();
      const beside = partnersOfTheHost();
      if (reopen === undefined) return { store: beside(store), close };
      return {
        store: beside(store),
        close,
        ...(breakWrites === undefined ? {} : { breakWrites }),
        reopen: async () => {
          const again = await reopen();
          return { ...again, store: beside(again.store) };
        },
      };
    },
    ...(unreachable === undefined
      ? {}
      : {
          unreachable: async () => {
            const opened = await unreachable();
            return { ...opened, store: tenantsAway(opened.store) };
          },
        }),
  };
}
