import { build } from 'vite';

/**
 * Builds a page: hashed files, which its handler reads. Assets are not inlined, because the policy of the pages forbids it. The licences
 * of bundled packages are included.
 */
export function buildPage(root, outDir, rolldownOptions = {}) {
  return build({
    root,
    configFile: false,
    logLevel: 'warn',
    base: './',
    build: {
      outDir,
      emptyOutDir: true,
      target: 'es2022',
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      license: { fileName: 'LICENSE.md' },
      rolldownOptions,
    },
  });
}
