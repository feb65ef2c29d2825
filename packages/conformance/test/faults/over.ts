/** `inner` with some of its methods replaced; works over any object, whatever it is made of. */
export function over<Port extends object>(inner: Port, replaced: Partial<Port>): Port {
  return new Proxy(inner, {
    get(target, name) {
      const value: unknown = Reflect.get(replaced, name) ?? Reflect.get(target, name);
      return typeof value === 'function' ? (...args: unknown[]): unknown => value.apply(target, args) : value;
    },
  });
}

/** The store answers in its own time: whatever was checked may have changed meanwhile. */
export function aTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
