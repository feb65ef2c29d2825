import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import { LATE_LISTS, serverOfLateRows } from '../../../tests/services/late-rows.js';
import { pathWithHttpx, PYTHON_FOLDER, pythons } from './python.js';

it.each(await pythons())(
  'on Postgres, a walk of %s over each list yields rows that are committed behind it',
  async (python) => {
    const { origin, secretKey, list } = await serverOfLateRows();
    const PYTHONPATH = await pathWithHttpx(python);
    for (const name of LATE_LISTS) {
      const { cursor, newer, commit } = await list(name);
      const last = newer.at(-1) ?? '';
      const walk = spawn(python, ['-m', 'tests.server.late_rows', name, cursor, last], {
        cwd: PYTHON_FOLDER,
        stdio: ['pipe', 'pipe', 'inherit'],
        env: {
          ...process.env,
          PYTHONPATH,
          PYTHONDONTWRITEBYTECODE: '1',
          GATERAMP_TEST_SANDBOX: origin,
          GATERAMP_TEST_SECRET_KEY: secretKey,
        },
      });
      const found: string[] = [];
      let late: string | undefined;
      for await (const id of createInterface({ input: walk.stdout })) {
        found.push(id);
        if (id !== last) continue;
        late = await commit();
        walk.stdin.end('\n');
      }
      expect(found, name).toEqual([...newer, late]);
    }
  },
);
