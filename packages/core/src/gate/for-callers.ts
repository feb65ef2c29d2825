import { callerProblems } from './checks/check-administration.js';
import { throwIfAny } from './checks/gate-fault.js';

/**
 * The same resource, all of whose calls name their caller first; that is looked at before a call does anything. Types do not reach hosts in
 * JavaScript, and for an unknown mode a store would find nothing, or keep rows that are never found again.
 */
export function forCallers<Resource extends object>(name: string, resource: Resource): Resource {
  const members = Object.entries(resource).map(([member, value]: [string, unknown]): [string, unknown] => {
    const place = `${name}.${member}`;
    if (typeof value === 'object' && value !== null) return [member, forCallers(place, value)];
    if (typeof value !== 'function') return [member, value];
    const call = async (...given: unknown[]): Promise<unknown> => {
      throwIfAny(`${place} received an invalid caller`, callerProblems(given[0]));
      return Reflect.apply(value, resource, given) as unknown;
    };
    return [member, call];
  });
  // Member for member what it was: each call takes and answers the same, and all of them answer promises.
  return Object.fromEntries(members) as Resource;
}
