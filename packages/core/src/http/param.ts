import { hasBadCharacters } from '../domain/json/read-json.js';

/** A path parameter of the endpoint's own template; empty, which names nothing, when no store could hold it. */
export function param(params: Readonly<Record<string, string>>, name: string): string {
  const value = params[name];
  if (value === undefined) throw new Error(`The path template has no {${name}}.`);
  return hasBadCharacters(value) ? '' : value;
}
