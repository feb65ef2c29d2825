/** The version of all ports together, those of `@gateramp/provider-legs` and `Extension` included. */
export const CONTRACT = 2;

/** What an adapter states about the port that it implements. */
export interface Contracted {
  /** The `CONTRACT` that the adapter was written to, as a number. Absent counts as 1. */
  readonly contract?: number;
}

/** The contracts that this release takes. Providers written to 1 state no `resendAt`, so they never receive `send_code`, which 2 adds. */
const TAKEN = { oldest: 1, newest: CONTRACT };

/** Why the package `by` cannot use an adapter, by the contract that it states; null if it can. */
export function contractProblem(place: string, adapter: object, by: string, { oldest, newest } = TAKEN): string | null {
  const contract: unknown = Reflect.get(adapter, 'contract');
  if (contract !== undefined && !(typeof contract === 'number' && Number.isSafeInteger(contract) && contract >= 1))
    return `${place}.contract must be a whole number above 0: the version of the ports that the adapter was written to.`;
  const stated = contract ?? 1;
  if (stated >= oldest && stated <= newest) return null;
  const states = contract === undefined ? 'states no contract, which counts as 1' : `states contract ${stated}`;
  const taken = oldest === newest ? `contract ${newest}` : `contracts ${oldest} to ${newest}`;
  const advice = `a release of the adapter for ${oldest === newest ? taken : `one of them`}`;
  return `${place} ${states}; the installed ${by} takes ${taken}. Install ${stated > newest ? `a newer ${by}, or ${advice}` : advice}.`;
}
