import { expect, it } from 'vitest';
import { dataDirError } from '../src/data-dir/data-dir-error.js';
import { StartError } from '../src/start-error.js';

/** An error as thrown by the file system: root, which may run the tests, is never refused. */
function forbidden(code: string, message: string): Error {
  return Object.assign(new Error(`${code}: ${message}`), { code, syscall: 'chmod' });
}

const OTHERS = [
  ['EACCES', "permission denied, stat '/data/gate.db'"],
  ['EPERM', "operation not permitted, chmod '/data/gate.db'"],
] as const;

it.each(OTHERS)('a folder of another user (%s) is named with what can be done about it', (code, message) => {
  const fault = dataDirError(forbidden(code, message), '/data', 1001);
  expect(fault).toBeInstanceOf(StartError);
  expect(fault).toMatchObject({
    problems: [
      `GATE_DATA_DIR: "/data" cannot be used: ${code}: ${message}. The server runs as uid 1001: start it as the owner of the folder, ` +
        'change the owner (chown -R 1001 "/data"), or choose another folder.',
    ],
  });
});

it('what else the file system refuses is reported as it says it', () => {
  const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC', syscall: 'write' });
  expect(dataDirError(full, '/data', 1001)).toMatchObject({
    problems: ['GATE_DATA_DIR: "/data" cannot be used: ENOSPC: no space left on device, write'],
  });
});

it('a mistake of ours is no fault of the folder', () => {
  const mistake = new TypeError('x is not a function');
  expect(dataDirError(mistake, '/data', 1001)).toBe(mistake);
});
