import { cpSync, readFileSync } from 'node:fs';
import { build } from 'esbuild';

const here = import.meta.dirname;

/** The lines of a file between its `<shown>` marks. The page shows them next to their result, so it always shows the code that runs. */
function linesOf(path) {
  const [, between] = /\/\/ <shown>\n([\s\S]*?)\n *\/\/ <\/shown>/.exec(readFileSync(`${here}/${path}`, 'utf8')) ?? [];
  if (between === undefined) throw new Error(`${path} has no lines to show.`);
  const indent = /^ */.exec(between)[0];
  return between.replaceAll(new RegExp(`^${indent}`, 'gm'), '');
}

const LINES = {
  iframe: linesOf('page/ways/iframe.ts'),
  kit: linesOf('page/ways/kit.ts'),
  'full-page': linesOf('page/ways/full-page.ts'),
  react: linesOf('page/ways/react.tsx'),
  server: linesOf('src/server/orders/orders.ts'),
  webhook: linesOf('src/server/webhooks/received-webhooks.ts'),
};

/** The page's scripts and styles; React is a chunk of its own. The server provides addresses and keys, so one build serves anywhere. */
await build({
  absWorkingDir: here,
  entryPoints: { shop: 'page/main.ts', style: 'page/style.css' },
  outdir: 'dist/page',
  bundle: true,
  minify: true,
  sourcemap: true,
  format: 'esm',
  target: 'es2022',
  splitting: true,
  jsx: 'automatic',
  define: { __LINES__: JSON.stringify(LINES), 'process.env.NODE_ENV': '"production"' },
  logLevel: 'warning',
});
cpSync(`${here}/page/index.html`, `${here}/dist/page/index.html`);
