import type { Engine } from '../../application/engine.js';
import { endRemoved } from '../../application/work/watchdogs.js';
import { consumerNameProblems } from '../checks/check-administration.js';
import { throwIfAny } from '../checks/argument-error.js';
import { endpointAdministration, type EndpointAdministration } from './endpoints.js';
import { keyAdministration, type KeyAdministration } from './keys.js';
import { partnerAdministration, type PartnerAdministration } from './partners.js';
import { poolAdministration, type PoolAdministration } from './pools.js';

/**
 * Manages the store's partners, keys, webhook endpoints, pools and consumers. Secrets are passed as text and stored hashed or encrypted.
 * Invalid arguments reject with a `GateArgumentError` that lists all problems.
 */
export interface Administration
  extends PartnerAdministration, KeyAdministration, EndpointAdministration, PoolAdministration {
  /**
   * Removes a consumer with all its event types: no more deliveries are written for it, and existing ones are dead-lettered as they become
   * due. A process that still calls `gate.on` for it registers it again at its next start, so remove that call first.
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
