import { build as bundle } from 'esbuild';
import { build } from 'vite';

const here = import.meta.dirname;

/** The page: hashed files under `dist/web`, which the handler reads. Sources are not inlined: the policy of the page forbids it. */
await build({
  root: `${here}/src/web`,
  configFile: false,
  logLevel: 'warn',
  base: './',
  build: {
    outDir: `${here}/dist/web`,
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
});

/** What serves them. */
await bundle({
  absWorkingDir: here,
  entryPoints: { 'server/index': 'src/server/index.ts' },
  outdir: 'dist',
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  packages: 'external',
  sourcemap: true,
  logLevel: 'warning',
});
