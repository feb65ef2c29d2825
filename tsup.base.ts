import { defineConfig, type Options } from 'tsup';

import { entriesOf, readPackage } from './tools/lib/workspaces.mjs';
import { sqlLoader } from './tools/lib/sql-text.mjs';

/**
 * The one build shape of every package: ESM and CommonJS, an entry for each `exports` subpath, dependencies left as
 * imports. tsup runs with the package's folder as its working directory. Declarations resolve sibling packages through
 * their built types, so build in dependency order.
 */
export function gatePackage(overrides: Options = {}): ReturnType<typeof defineConfig> {
  const { entries, hasTypes } = entriesOf(readPackage(process.cwd()));
  return defineConfig({
    entry: entries,
    format: ['esm', 'cjs'],
    platform: 'node',
    target: 'node20',
    splitting: true,
    // Makes Rollup, and not Sucrase, which knows no class fields, turn the split chunks into CommonJS.
    treeshake: 'safest',
    sourcemap: true,
    clean: true,
    skipNodeModulesBundle: true,
    noExternal: esmOnly,
    loader: sqlLoader,
    esbuildOptions: (options, { format }) => {
      if (format === 'esm') options.external = esmOnly;
    },
    // tsup sets baseUrl itself, which TypeScript 6 reports as deprecated.
    dts: hasTypes
      ? { compilerOptions: { customConditions: [], ignoreDeprecations: '6.0', incremental: false } }
      : false,
    ...overrides,
  });
}

/** What `require` cannot load on every Node and in no Jest: the CommonJS build carries it, the ESM build imports it. */
const esmOnly = ['jose'];
