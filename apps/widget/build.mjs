import { build } from 'vite';

const here = import.meta.dirname;

/**
 * Builds the checkout, and the preview of its appearance: hashed files under `dist/page` and `dist/preview`, which the handler reads.
 * They are built separately so that buyers do not load the preview. Assets are not inlined, because the policy of the pages forbids it.
 * The licences of bundled packages are included.
 */
for (const [input, folder] of [
  ['index.html', 'page'],
  ['preview.html', 'preview'],
])
  await build({
    root: `${here}/src/web`,
    configFile: false,
    logLevel: 'warn',
    base: './',
    build: {
      outDir: `${here}/dist/${folder}`,
      emptyOutDir: true,
      target: 'es2022',
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      license: { fileName: 'LICENSE.md' },
      // One file for the first step, since fewer files compress better.
      rolldownOptions: {
        input: `${here}/src/web/${input}`,
        output: { codeSplitting: { groups: [{ name: 'checkout', tags: ['$initial'] }] } },
      },
    },
  });
