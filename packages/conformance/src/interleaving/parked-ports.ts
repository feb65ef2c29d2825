import { DEFAULT_POLICY } from '@gateramp/core/domain';
import type { OpenPorts, TestPorts } from '@gateramp/testing';
import type { Turns } from './turns.js';

/** Waiting for a turn takes real time: no request must be refused because another partner's is waiting too. */
export const NO_CONTENTION_LIMIT = { requestsContendedMin: DEFAULT_POLICY.requestsInFlightMax - 1 };

/** The ports of one process, with every call of a store or provider between two turns. */
export function parkedPorts(
  turns: Turns,
  process: string,
  { store, providers, extensions: [, pools] }: OpenPorts,
): Pick<TestPorts, 'store' | 'providers' | 'pools'> {
  return {
    store: parked(turns, process, 'store', store),
    providers: providers.map((provider) => parked(turns, process, 'provider', provider)),
    pools: parked(turns, process, 'pools', pools.provider),
  };
}

function parked<Port extends object>(turns: Turns, process: string, name: string, port: Port): Port {
  return new Proxy(port, {
    get: (target, member, receiver) => {
      const value: unknown = Reflect.get(target, member, receiver);
      if (typeof value === 'object' && value !== null)
        return parked(turns, process, `${name}.${String(member)}`, value);
      if (typeof value !== 'function') return value;
      return (...given: unknown[]) => {
        const answer = (): unknown => Reflect.apply(value, target, given);
        // The sandbox's test details are the only synchronous calls of these ports.
        if (SYNCHRONOUS.has(String(member))) return answer();
        return turns.between(process, `${name}.${String(member)}`, async () => answer());
      };
    },
  });
}

const SYNCHRONOUS = new Set(['details', 'confirmation']);
