import { build } from 'esbuild';

import { gatePackage } from '../../tsup.base.js';

export default gatePackage({
  platform: 'browser',
  target: 'es2022',
  splitting: false,
  /** The script-tag file, whole and small: what a page loads by itself. */
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
