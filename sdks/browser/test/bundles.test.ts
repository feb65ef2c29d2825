import { build } from 'esbuild';
import { fileURLToPath } from 'node:url';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';

const GZIPPED_BYTES_MAX = 4600;

async function bundled(entry: string, format: 'iife' | 'esm'): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(`../src/${entry}`, import.meta.url))],
    bundle: true,
    minify: true,
    write: false,
    format,
    target: 'es2022',
  });
  return outputFiles.map(({ text }) => text).join('');
}

it.each([
  ['global.ts', 'iife'],
  ['index.ts', 'esm'],
] as const)('%s is at most 4,600 bytes gzipped', async (entry, format) => {
  const bytes = gzipSync(await bundled(entry, format)).length;
  expect(bytes).toBeLessThanOrEqual(GZIPPED_BYTES_MAX);
});

it('the script-tag file gives the page five names, and touches nothing of it', async () => {
  const page: Record<string, unknown> = {};
  runInNewContext(await bundled('global.ts', 'iife'), page);
  expect(Object.keys(page).sort()).toEqual([
    'GateRamp',
    'GateWidget',
    'createGateOffRamp',
    'createGateOnRamp',
    'createGateSwap',
  ]);
});
