import { inProcessScheduler, memoryKycVault, memoryRateLimits, memoryStore } from '@gateramp/adapters-store-memory';
import type { KycVault, RateLimits, Scheduler, Store } from '@gateramp/core/ports';
import type { KycVaultSubject, RateLimitsSubject, SchedulerSubject, StoreSubject } from '@gateramp/conformance';
import { virtualTimers } from '@gateramp/testing';

/** The memory store, modified by `made`. */
export function storeSubject(made: (inner: Store) => Store = (inner) => inner): StoreSubject {
  return { create: async () => ({ store: made(memoryStore()), close: async () => {} }), model: { runs: 60 } };
}

/** The in-process scheduler on virtual time, modified by `made`. */
export function schedulerSubject(made: (inner: Scheduler) => Scheduler = (inner) => inner): SchedulerSubject {
  return {
    async create() {
      const timers = virtualTimers();
      const inner = inProcessScheduler({ timers, onError: () => undefined });
      const close = async (): Promise<void> => {
        const closing = inner.close(0);
        await timers.elapse(0);
        await closing;
      };
      return { scheduler: made(inner), elapse: timers.elapse, close };
    },
  };
}

/** The memory rate limits on virtual time, modified by `made`. */
export function rateLimitsSubject(made: (inner: RateLimits) => RateLimits = (inner) => inner): RateLimitsSubject {
  return {
    async create() {
      const timers = virtualTimers();
      return { limits: made(memoryRateLimits({ now: timers.now })), elapse: timers.elapse, close: async () => {} };
    },
  };
}

/** The memory vault, modified by `made`. */
export function kycVaultSubject(made: (inner: KycVault) => KycVault = (inner) => inner): KycVaultSubject {
  return {
    async create() {
      const inner = memoryKycVault();
      return {
        vault: made(inner),
        read: async (sessionId) => inner.find(sessionId)?.body ?? null,
        close: async () => {},
      };
    },
  };
}
