/** Prefers items that wait for an action, since only those can be cancelled. */
export function waiting<Item>(all: readonly Item[], statusOf: (item: Item) => unknown): readonly Item[] {
  const some = all.filter((one) => statusOf(one) === 'requires_action');
  return some.length === 0 ? all : some;
}
