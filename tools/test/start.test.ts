import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { root } from '../lib/workspaces.mjs';

const start = (...args: readonly string[]) =>
  promisify(execFile)(process.execPath, [join(root, 'tools/start.mjs'), ...args]);

it('prints its usage instead of starting the server', async () => {
  for (const help of ['--help', '-h'])
    expect(await start(help)).toEqual({ stdout: expect.stringMatching(/^Usage: npm start\n/), stderr: '' });
});

it('refuses other arguments, since all settings are environment variables', async () => {
  await expect(start('--port', '80')).rejects.toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^\n--port is unknown\. .*\n$/),
  });
});
