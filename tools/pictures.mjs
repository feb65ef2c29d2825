import { spawn } from 'node:child_process';
import { root } from './lib/workspaces.mjs';

/**
 * `npm run pictures` compares the main screens of the checkout with the committed pictures; `npm run pictures -- --update` updates them,
 * and the pictures in the documents. The pictures of a run are in node_modules/.cache/gateramp/pictures.
 */
const isUpdate = process.argv.includes('--update');
const files = [
  'tests/browser/test/widget/pictures.test.ts',
  ...(isUpdate
    ? ['tests/browser/test/demo-shop/pictures.test.ts', 'tests/browser/test/console/time-machine.test.ts']
    : []),
];
const child = spawn(process.execPath, ['tools/test.mjs', ...files], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, GATE_TEST_DEPTH: 'deep', ...(isUpdate && { GATERAMP_WRITE_PICTURES: '1' }) },
});
child.on('close', (code) => process.exit(code ?? 1));
