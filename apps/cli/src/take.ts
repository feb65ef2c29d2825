/** The first `count` items of a list. */
export async function take<Item>(list: AsyncIterable<Item>, count: number): Promise<readonly Item[]> {
  const taken: Item[] = [];
  if (count === 0) return taken;
  for await (const item of list) {
    taken.push(item);
    if (taken.length >= count) break;
  }
  return taken;
}
