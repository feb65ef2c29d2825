const samplesMax = 3;

/** What a law answers: breaches (none are expected), or a number that must reach `atLeast`, or one that must stay below `below`. */
export function rowOf(law, found) {
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
