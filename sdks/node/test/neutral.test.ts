import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { expect, it } from 'vitest';
import manifest from '../package.json' with { type: 'json' };

it('imports nothing: no dependency, and nothing of Node, so it runs wherever there is fetch', async () => {
  const { metafile, outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('../src/index.ts', import.meta.url))],
    bundle: true,
    write: false,
    metafile: true,
    format: 'esm',
    // With this platform, an import of a Node module does not resolve, and fails the build.
    platform: 'neutral',
  });
  const inputs = Object.values(metafile.inputs).flatMap(({ imports }) => imports.filter(({ external }) => external));
  expect(inputs).toEqual([]);
  expect(outputFiles[0]?.text).not.toMatch(/\b(?:process|Buffer|require|__dirname)\b[.([]/);
  expect(manifest).not.toHaveProperty('dependencies');
});
