import fc from 'fast-check';
import { it } from 'vitest';

/**
 * A rule over all inputs as one test. fast-check alone and not its vitest binding: that one loads
 * all of vitest again in every file, which takes seconds.
 */
export function forAll<Inputs extends [unknown, ...unknown[]]>(arbitraries: {
  [At in keyof Inputs]: fc.Arbitrary<Inputs[At]>;
}) {
  return (title: string, law: (...inputs: Inputs) => void): void => {
    it(title, () => {
      fc.assert(fc.property(fc.tuple<Inputs>(...arbitraries), (inputs) => law(...inputs)));
    });
  };
}
