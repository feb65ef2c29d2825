import { build } from 'esbuild';

/** One file that contains all packages; `pg-native` is an optional part of `pg` that is not installed. */
export async function bundle(entry: string, outfile: string, format: 'esm' | 'cjs'): Promise<void> {
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format,
    logLevel: 'error',
    external: ['pg-native', 'libsql'], // libsql, the SQLite store's native part, stays next to the bundle in node_modules
    // ES modules have no `require`, which the CommonJS packages inside still call for Node's own modules.
    ...(format === 'esm'
      ? {
          banner: {
            js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
          },
        }
      : {}),
  });
}
