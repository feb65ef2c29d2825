import { build } from 'esbuild';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';

const GZIPPED_BYTES_MAX = 1536;

async function bundled(minify: boolean): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('../src/index.ts', import.meta.url))],
    bundle: true,
    minify,
    write: false,
    format: 'esm',
    target: 'es2022',
    packages: 'external',
  });
  return outputFiles.map(({ text }) => text).join('');
}

it('is at most 1.5 KB gzipped next to React and the browser SDK', async () => {
  const text = await bundled(true);
  expect(text).toContain('"@gateramp/sdk-browser"');
  expect(gzipSync(text).length).toBeLessThanOrEqual(GZIPPED_BYTES_MAX);
});

it('says to server components that it is for the browser', async () => {
  expect(await bundled(false)).toMatch(/^"use client";/);
});
