import type { Settings } from '../../src/ports/index.js';

/** Settings in a map, which tests can inspect. */
export function memorySettings(): Settings & { readonly values: Map<string, string> } {
  const values = new Map<string, string>();
  return {
    values,
    readSetting: async (name) => values.get(name) ?? null,
    listSettings: async (prefix) => new Map([...values].filter(([name]) => name.startsWith(prefix))),
    async swapSetting(name, expected, value) {
      const current = values.get(name) ?? null;
      if (current !== expected) return current ?? '';
      values.set(name, value);
      return value;
    },
  };
}
