/** A path parameter of the endpoint's own template. */
export function param(params: Readonly<Record<string, string>>, name: string): string {
  const value = params[name];
  if (value === undefined) throw new Error(`The path template has no {${name}}.`);
  return value;
}
