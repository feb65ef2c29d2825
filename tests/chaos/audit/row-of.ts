import type { Found, Row } from './law.js';

const samplesMax = 3;

export function rowOf(law: string, found: Found): Row {
  if ('atLeast' in found)
    return {
      law,
      expected: `≥ ${found.atLeast}`,
      found: found.found,
      isKept: found.found >= found.atLeast,
      samples: [],
    };
  if ('below' in found)
    return { law, expected: `< ${found.below}`, found: found.found, isKept: found.found < found.below, samples: [] };
  const { expected = 0, breaches } = found;
  const amount = found.found ?? breaches.length;
  return {
    law,
    expected,
    found: amount,
    isKept: amount === expected && breaches.length === 0,
    samples: breaches.slice(0, samplesMax),
  };
}
