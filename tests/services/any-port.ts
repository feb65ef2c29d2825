/** Settings that let the reference server listen on free ports. */
export const ANY_PORT: Readonly<Record<string, string>> = Object.fromEntries(
  ['SANDBOX', 'LIVE', 'SANDBOX_WIDGET', 'WIDGET', 'POOLS', 'OPS', 'CONSOLE', 'DEMO'].map((name) => [
    `GATE_${name}_PORT`,
    '0',
  ]),
);
