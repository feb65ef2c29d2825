import type { OpenPorts, TestPorts } from '@gateramp/testing';

/** Whether the call at which the process dies still takes effect. */
export type Timing = 'before' | 'after';

/** The ports of a process that will die, and a promise of its death. */
export interface Mortal {
  readonly ports: Partial<TestPorts>;
  /** Resolves with the call at which it died; never if it did not get there. */
  readonly died: Promise<string>;
  /** The calls made so far, in order. */
  readonly calls: readonly string[];
}

/**
 * A process that dies at its n-th call of a store, provider, vault or sender: just before the call takes effect, or just after, without
 * receiving its result. From then on none of its calls has an effect, and none of its pending calls resolves.
 */
export function crashAt(n: number, timing: Timing, ports: OpenPorts): Mortal {
  const calls: string[] = [];
  let isDead = false;
  let reportDeath: (call: string) => void = () => undefined;
  const died = new Promise<string>((resolve) => {
    reportDeath = resolve;
  });
  const die = (call: string): Promise<never> => {
    isDead = true;
    reportDeath(call);
    return forever();
  };
  const unlessDead = async <Value>(answer: Promise<Value>): Promise<Value> => {
    try {
      const value = await answer;
      return isDead ? await forever() : value;
    } catch (error) {
      if (isDead) return forever();
      throw error;
    }
  };

  const call: Caller = (name, run) => {
    if (isDead) return forever();
    calls.push(name);
    if (calls.length !== n) return unlessDead(run());
    return timing === 'before'
      ? die(name)
      : run().then(
          () => die(name),
          () => die(name),
        );
  };
  const {
    testClock,
    vault,
    sender,
    extensions: [, pools],
  } = ports;
  return {
    died,
    calls,
    ports: {
      store: mortal('store', ports.store, call),
      providers: ports.providers.map((provider) => mortal('provider', provider, call)),
      pools: mortal('pools', pools.provider, call),
      ...(vault === undefined ? {} : { vault: mortal('vault', vault, call) }),
      ...(sender === undefined ? {} : { sender: mortal('sender', sender, call) }),
      ...(testClock === undefined
        ? {}
        : { testClock: { ...testClock, advanceTo: (instant) => (isDead ? forever() : testClock.advanceTo(instant)) } }),
    },
  };
}

type Caller = (name: string, run: () => Promise<unknown>) => Promise<unknown>;

/** A separate promise per call: whatever waits for a shared one would never be garbage-collected. */
const forever = (): Promise<never> => new Promise(() => undefined);

/** The port with every call passed through `call`. All methods of these ports are asynchronous. */
function mortal<Port extends object>(name: string, port: Port, call: Caller): Port {
  return new Proxy(port, {
    get: (target, member, receiver) => {
      const value: unknown = Reflect.get(target, member, receiver);
      if (typeof value !== 'function') return value;
      return (...given: unknown[]) =>
        // All methods of these ports return promises.
        call(`${name}.${String(member)}`, () => Reflect.apply(value, target, given) as Promise<unknown>);
    },
  });
}
