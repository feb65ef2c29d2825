import type { EngineStore } from '@gateramp/core/ports';
import type { Law } from '../law.js';
import { NEEDS_AN_ENDPOINT } from './delivery-laws.js';
import { endpointLaws } from './endpoint-laws.js';
import { partnerLaws } from './partner-laws.js';
import { storeLaws } from './store-laws.js';
import type { StoreOnTrial, StoreSubject } from './store-subject.js';
import { partnersOfTheHost, tenantsAway } from './with-partners.js';

/** As `StoreSubject`, of a store that keeps no partners. */
export interface EngineStoreSubject extends Pick<StoreSubject, 'model'> {
  /** A fresh, empty store each time. */
  create(): Promise<EngineStoreOnTrial>;
  /** A store whose database cannot be reached. One that is durable has to have it. */
  readonly unreachable?: () => Promise<OpenEngineStore>;
}

/** A store without partners that is open, and how to close it. */
export interface OpenEngineStore {
  readonly store: EngineStore;
  readonly close: () => Promise<void>;
}

/** A fresh store without partners, and how to open what it holds once more. */
export interface EngineStoreOnTrial extends OpenEngineStore {
  /** Opens what is stored once more, over connections of its own. A durable store has to have it. */
  readonly reopen?: () => Promise<OpenEngineStore>;
  /** As in `StoreOnTrial`. A durable store has to have it. */
  readonly breakWrites?: StoreOnTrial['breakWrites'];
}

/** What can be asked only of a store that keeps partners, their keys and their endpoints. */
const lawsOfPartners: ReadonlySet<Law<StoreSubject>> = new Set([...endpointLaws, ...partnerLaws]);

const lawsOfTheEngine = storeLaws.filter((law) => !lawsOfPartners.has(law) && law.title !== NEEDS_AN_ENDPOINT);

/**
 * Everything an `EngineStore` promises: for a store used with a host's own tenants. Partners that a law speaks
 * of are the host's, kept by the kit; such a store never learns of them.
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
