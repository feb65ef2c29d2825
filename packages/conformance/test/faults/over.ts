import type { Claims, ClaimsOfOne, Finders, Listers, Savers, Store } from '@gateramp/core/ports';

/** `inner` with some of its methods replaced; works for any object. */
export function over<Port extends object>(inner: Port, replaced: Partial<Port>): Port {
  return new Proxy(inner, {
    get(target, name) {
      const value: unknown = Reflect.get(replaced, name) ?? Reflect.get(target, name);
      return typeof value === 'function' ? (...args: unknown[]): unknown => value.apply(target, args) : value;
    },
  });
}

/** The replaced parts of a store: whole methods, and for methods that take a noun those for some nouns. */
export type StoreParts = Partial<Omit<Store, keyof NounParts>> & Partial<NounParts>;

interface NounParts {
  readonly find: Partial<Finders>;
  readonly list: Partial<Listers>;
  readonly claim: Partial<Claims>;
  readonly claimOne: Partial<ClaimsOfOne>;
  readonly save: Partial<Savers>;
}

/** `inner` with some parts replaced: `overStore(inner, { list: { session: async () => [] } })`. */
export function overStore(inner: Store, { find, list, claim, claimOne, save, ...methods }: StoreParts): Store {
  const finders: Finders = {
    session: (...key) => inner.find('session', ...key),
    intent: (...key) => inner.find('intent', ...key),
    intent_by_operation: (...key) => inner.find('intent_by_operation', ...key),
    transaction: (...key) => inner.find('transaction', ...key),
    document: (...key) => inner.find('document', ...key),
    event: (...key) => inner.find('event', ...key),
    delivery: (...key) => inner.find('delivery', ...key),
    endpoint_health: (...key) => inner.find('endpoint_health', ...key),
    task: (...key) => inner.find('task', ...key),
    ...find,
  };
  const listers: Listers = {
    session: (...asked) => inner.list('session', ...asked),
    transaction: (...asked) => inner.list('transaction', ...asked),
    document: (...asked) => inner.list('document', ...asked),
    delivery: (...asked) => inner.list('delivery', ...asked),
    event: (...asked) => inner.list('event', ...asked),
    session_event: (...asked) => inner.list('session_event', ...asked),
    transaction_of_hash: (...asked) => inner.list('transaction_of_hash', ...asked),
    ...list,
  };
  const claims: Claims = {
    delivery: (request) => inner.claim('delivery', request),
    task: (request) => inner.claim('task', request),
    ...claim,
  };
  const claimsOfOne: ClaimsOfOne = {
    delivery: (...asked) => inner.claimOne('delivery', ...asked),
    task: (...asked) => inner.claimOne('task', ...asked),
    ...claimOne,
  };
  const savers: Savers = {
    partner: (row, audit) => inner.save('partner', row, audit),
    suspension: (row, audit) => inner.save('suspension', row, audit),
    key: (row, audit) => inner.save('key', row, audit),
    endpoint: (row, audit) => inner.save('endpoint', row, audit),
    ...save,
  };
  return over<Store>(inner, {
    ...methods,
    find: (noun, ...key) => finders[noun](...key),
    list: (noun, ...asked) => listers[noun](...asked),
    claim: (kind, request) => claims[kind](request),
    claimOne: (kind, ...asked) => claimsOfOne[kind](...asked),
    save: (noun, row, audit = null) => savers[noun](row, audit),
  });
}

/** Lets other calls run before the store answers: everything checked earlier may have changed meanwhile. */
export function aTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
