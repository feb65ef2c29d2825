import { defineConfig, type Options } from 'tsup';

import { entriesOf, readPackage } from './tools/lib/workspaces.mjs';

/**
 * The one build shape of every package: ESM, an entry for each `exports` subpath, dependencies left as imports. tsup runs with the package's
 * folder as its working directory. Declarations resolve sibling packages through their built types, so build in dependency order.
 */
export function gatePackage(overrides: Options = {}): ReturnType<typeof defineConfig> {
  const { entries, hasTypes } = entriesOf(readPackage(process.cwd()));
  return defineConfig({
    entry: entries,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    splitting: true,
    sourcemap: true,
    clean: true,
    skipNodeModulesBundle: true,
    // tsup sets baseUrl itself, which TypeScript 6 reports as deprecated.
    dts: hasTypes ? { compilerOptions: { customConditions: [], ignoreDeprecations: '6.0', incremental: false } } : false,
    ...overrides,
  });
}
