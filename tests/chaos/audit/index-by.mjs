/** Rows in groups by what `keyOf` says of them. */
export function groupBy(rows, keyOf) {
  const groups = new Map();
  for (const row of rows) {
    const key = keyOf(row);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [row]);
    else group.push(row);
  }
  return groups;
}

export const indexBy = (rows, keyOf) => new Map(rows.map((row) => [keyOf(row), row]));
