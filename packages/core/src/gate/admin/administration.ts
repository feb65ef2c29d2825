import type { Engine } from '../../application/engine.js';
import { endRemoved } from '../../application/work/watchdogs.js';
import { consumerNameProblems } from '../checks/check-administration.js';
import { throwIfAny } from '../checks/argument-error.js';
import { endpointAdministration, type EndpointAdministration } from './endpoints.js';
import { keyAdministration, type KeyAdministration } from './keys.js';
import { partnerAdministration, type PartnerAdministration } from './partners.js';
import { poolAdministration, type PoolAdministration } from './pools.js';

/**
 * Partners, keys, webhook endpoints and consumers of the store. Secrets come in as text and are kept hashed or sealed. What cannot be used
 * rejects with a `GateArgumentError` that names all that is wrong.
 */
export interface Administration
  extends PartnerAdministration, KeyAdministration, EndpointAdministration, PoolAdministration {
  /**
   * Ends a consumer for good, with all its types: nothing more is written for its name, and what was is dead-lettered as it comes due. A
   * process that still has its `gate.on` brings it back at its next start, so take that out first.
   */
  removeConsumer(name: string): Promise<void>;
}

export function administration(engine: Engine, ready: () => Promise<void>): Administration {
  return {
    ...partnerAdministration(engine),
    ...keyAdministration(engine),
    ...endpointAdministration(engine, ready),
    ...poolAdministration(engine),
    removeConsumer: async (name) => {
      throwIfAny('removeConsumer received invalid arguments', consumerNameProblems(name));
      await engine.store.removeConsumer(name);
      const { consumers } = await engine.consumers.refresh();
      for (const consumer of consumers)
        if (consumer.name === name && consumer.isRemoved) await endRemoved(engine, consumer);
    },
  };
}
