/** Only what waits can be cancelled, so that is what is mostly asked for. */
export function waiting<Item>(all: readonly Item[], statusOf: (item: Item) => unknown): readonly Item[] {
  const some = all.filter((one) => statusOf(one) === 'requires_action');
  return some.length === 0 ? all : some;
}
