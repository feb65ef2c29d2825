import type { ChainLeg, ExchangeLeg, FiatLeg, LegsProvider, LegsStore, ScreeningLeg } from '@gateramp/provider-legs';
import { providerOf } from './world.js';

/** The ports of a provider, which outlive its process. */
export interface Parts {
  readonly store: LegsStore;
  readonly chain: ChainLeg;
  readonly fiat: FiatLeg;
  readonly screening: ScreeningLeg;
  readonly exchange: ExchangeLeg;
}

/** Thrown by every call of a process that has died. */
export class Crash extends Error {}

/** When a process dies: before or after its call number `at` of any port, counted from 1. */
export interface Death {
  readonly at: number;
  readonly moment: 'before' | 'after';
  /** The process lives, and this call of a leg never ends. */
  readonly hangs?: boolean;
}

/** A provider in a process of its own that dies at a call of any port: before it is made, or before its result arrives. */
export function mortal(w: Parts, death: Death | null, onCall: () => void = () => {}): LegsProvider {
  let calls = 0;
  let isDead = false;
  const guard = <Port extends object>(port: Port): Port =>
    new Proxy(port, {
      get(target, member, receiver) {
        const value: unknown = Reflect.get(target, member, receiver);
        if (typeof value !== 'function' || member === 'addressProblem') return value;
        return async (...args: readonly unknown[]) => {
          if (isDead) throw new Crash();
          calls += 1;
          onCall();
          const isNow = calls === death?.at;
          if (isNow && death?.hangs === true) {
            if (death.moment === 'after') await Reflect.apply(value, target, args);
            return new Promise<never>(() => undefined);
          }
          if (isNow) isDead = true;
          if (isNow && death?.moment === 'before') throw new Crash();
          const answer: unknown = await Reflect.apply(value, target, args);
          if (isNow) throw new Crash();
          return answer;
        };
      },
    });
  const { store, chain, fiat, screening, exchange } = w;
  return providerOf(
    {
      store: death?.hangs === true ? store : guard(store),
      chain: guard(chain),
      fiat: guard(fiat),
      screening: guard(screening),
      exchange: guard(exchange),
    },
    () => {},
  );
}
