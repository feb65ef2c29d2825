import { build } from 'esbuild';

import { gatePackage } from '../../tsup.base.js';

export default gatePackage({
  platform: 'browser',
  target: 'es2022',
  splitting: false,
  /** The minified file for script tags, which a page loads on its own. */
  onSuccess: async () => {
    await build({
      entryPoints: ['src/global.ts'],
      outfile: 'dist/gateramp.js',
      bundle: true,
      minify: true,
      sourcemap: true,
      format: 'iife',
      target: 'es2022',
    });
  },
});
