import { build } from 'vite';

const here = import.meta.dirname;

/**
 * Builds the page: hashed files under `dist/page`, which the handler reads. Assets are not inlined, because the page's policy forbids
 * it. The licences of bundled packages are included.
 */
await build({
  root: `${here}/src/web`,
  configFile: false,
  logLevel: 'warn',
  base: './',
  build: {
    outDir: `${here}/dist/page`,
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    license: { fileName: 'LICENSE.md' },
  },
});
