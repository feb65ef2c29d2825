import { systemDeadlines } from '@gateramp/core/runtime';

const deadlines = systemDeadlines();

/** The time limit of one call of a leg. The rest of `LEASE_MS` is for committing its result. */
export const CALL_MAX_MS = 45_000;

/** Throws if the work takes longer than `limitMs`. The work itself continues, and its late result is ignored. */
export async function inTime<Value>(what: string, work: Promise<Value>, limitMs = CALL_MAX_MS): Promise<Value> {
  const waited = await deadlines.within(work, limitMs);
  if (waited.kind === 'late') throw new Error(`${what} did not answer within ${limitMs / 1_000} s.`);
  return waited.value;
}

/** The leg with a time limit on each call. One that exceeds it throws, so its result is unknown, and is made again with the same id. */
export function timed<Leg extends { readonly name: string }>(leg: Leg): Leg {
  return new Proxy(leg, {
    get(target, member) {
      const value: unknown = Reflect.get(target, member);
      if (typeof value !== 'function') return value;
      return (...given: unknown[]): unknown => {
        const answer: unknown = Reflect.apply(value, target, given);
        return answer instanceof Promise ? inTime(`${target.name}.${String(member)}`, answer) : answer;
      };
    },
  });
}
