import { build } from 'vite';

const here = import.meta.dirname;

/**
 * The page: hashed files under `dist/page`, which the handler reads. Sources are not inlined: the policy of the page
 * forbids it. The licences of what is bundled go with it.
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
    // One file for all that the first step needs: the fewer, the better they compress.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'checkout', tags: ['$initial'] }] } } },
  },
});
