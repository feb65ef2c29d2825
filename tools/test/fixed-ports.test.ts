import { expect, it } from 'vitest';

import { run } from '../lib/steps.mjs';
import { root } from '../lib/workspaces.mjs';

/** A server on a port that is written down, by itself or by its settings. */
const FIXED = /\.listen\(\s*(\{\s*port:\s*)?[1-9]\d+|_PORT['"]?\]?\s*[:=]\s*['"]?[1-9]\d+\b|--port[= '",]+[1-9]\d+/;

/** Nothing listens there: settings and arguments that are only read, a page whose port its test replaces, and the examples below. */
const NEVER_OPENED: readonly string[] = [
  'apps/reference-server/test/config.test.ts',
  'tests/first-webhook/shop.mjs',
  'tools/test/fixed-ports.test.ts',
  'tools/test/start.test.ts',
];

it('no test opens a fixed port, so two runs pass next to each other on one machine', async () => {
  const files = ['tests', 'tools/test', ...['packages', 'sdks', 'apps'].map((folder) => `${folder}/*/test*/*`)];
  const { code, output } = await run('git', ['grep', '-lIPe', FIXED.source, '--', ...files], { cwd: root });
  expect([code, output.trim().split('\n')]).toEqual([0, NEVER_OPENED]);
});

it.each([
  `server.listen(4242, '127.0.0.1')`,
  'await app.listen({ port: 3000 })',
  `GATE_SANDBOX_PORT: '4242'`,
  `env['PG_PORT'] = 5432`,
  `spawn('anvil', ['--port', '8545'])`,
])('%s is a fixed port', (code) => {
  expect(code).toMatch(FIXED);
});

it.each(['server.listen(0)', `GATE_OPS_PORT: '0'`, 'app.listen({ port })', `['--port', String(port)]`])(
  '%s is none',
  (code) => {
    expect(code).not.toMatch(FIXED);
  },
);
