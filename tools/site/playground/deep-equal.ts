/** `isDeepStrictEqual` of `node:util` for the plain rows that the memory store compares. */
export function isDeepStrictEqual(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (Object.getPrototypeOf(one) !== Object.getPrototypeOf(other)) return false;
  const [left, right] = [new Map(Object.entries(one)), new Map(Object.entries(other))];
  return (
    left.size === right.size &&
    [...left].every(([key, value]) => right.has(key) && isDeepStrictEqual(value, right.get(key)))
  );
}
