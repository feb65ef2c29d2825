import { atMost } from '@gateramp/core/runtime';

/** For calls without which no request is answered. */
const SHORT_MS = 5_000;

/** For calls that may ask another service, such as a network or the provider of a single sign-on. */
const LONG_MS = 30_000;

/** Waits for the host's code, which may hang; too long is an outage, which is answered 503. The call itself continues. */
export async function inTime<Value>(
  name: string,
  call: () => Value | Promise<Value>,
  limitMs: number = SHORT_MS,
): Promise<Value> {
  const work = async (): Promise<{ readonly value: Value }> => ({ value: await call() });
  const done = await atMost(limitMs, work());
  if (done !== null) return done.value;
  throw Object.assign(new Error(`${name} of the host did not answer within ${limitMs} ms.`), { outage: true });
}

/** The same for a call that may ask another service. */
export function inLongTime<Value>(name: string, call: () => Value | Promise<Value>): Promise<Value> {
  return inTime(name, call, LONG_MS);
}

/** An object of the host whose methods are awaited no longer than `wait` does. */
export function limitedCalls<Port extends object>(
  name: string,
  port: Port,
  wait: (name: string, call: () => unknown) => Promise<unknown>,
): Port {
  // An own target, since a proxy of a frozen object must return its members unchanged.
  return new Proxy({} as Port, {
    get(_, member) {
      const value: unknown = Reflect.get(port, member);
      if (typeof value !== 'function') return value;
      return (...args: readonly unknown[]) =>
        wait(`${name}.${String(member)}`, () => Reflect.apply(value, port, args) as unknown);
    },
  });
}
