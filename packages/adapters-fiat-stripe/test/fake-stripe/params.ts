/** Parameters of a Stripe request: `a[b][0]=c` becomes `{ a: { b: ['c'] } }`. */
export type Params = { [name: string]: Param };
type Param = string | Params | Param[];

export function readParams(text: string): Params {
  const params: Params = {};
  for (const [name, value] of new URLSearchParams(text)) {
    const path = name.replaceAll(']', '').split('[');
    let at = params;
    path.forEach((step, index) => {
      if (index === path.length - 1) at[step] = value;
      else at = (at[step] ??= {}) as Params;
    });
  }
  return withArrays(params) as Params;
}

function withArrays(value: Param): Param {
  if (typeof value === 'string' || Array.isArray(value)) return value;
  const entries = Object.entries(value).map(([key, member]) => [key, withArrays(member)] as const);
  return entries.length > 0 && entries.every(([key]) => /^\d+$/.test(key))
    ? entries.map(([, member]) => member)
    : Object.fromEntries(entries);
}
