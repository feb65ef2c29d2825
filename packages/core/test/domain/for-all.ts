import fc from 'fast-check';
import { it } from 'vitest';

/**
 * Declares a property over all inputs as one test. Uses fast-check without its vitest binding, which would load all of vitest again in
 * every file and take seconds.
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
