import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readyServer, type ReadyServer } from '../../../apps/reference-server/test/running-server.js';
import { freePort } from '../../../tests/services/ports.js';
import { pathWithHttpx, pythons, run } from './python.js';

const RETURN_URL = 'https://shop.example/done';
const SECRET_KEY = 'sk_test_00000000000000000000python';
const WEBHOOK_SECRET = 'whsec_python_test_secret';

const available = await pythons();

describe('the Python package', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gate-python-'));
  let server: ReadyServer;
  let hookPort: number;
  beforeAll(async () => {
    hookPort = await freePort();
    const seed = join(folder, 'seed.json');
    writeFileSync(seed, JSON.stringify({ partners: [acme(`http://127.0.0.1:${hookPort}/hooks`)] }));
    server = await readyServer({ GATE_SEED_FILE: seed, GATE_RATE_LIMITS: 'off' });
  });
  afterAll(() => {
    server.process.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });

  it.each(available)('passes its own tests on %s, alone and against a real server', async (python) => {
    const args = ['-W', 'error', '-m', 'unittest', 'discover', '--top-level-directory', '.', 'tests'];
    const tests = await run(python, args, {
      PYTHONPATH: await pathWithHttpx(python),
      GATERAMP_TEST_SANDBOX: server.origins.sandbox,
      GATERAMP_TEST_SECRET_KEY: SECRET_KEY,
      GATERAMP_TEST_WEBHOOK_SECRET: WEBHOOK_SECRET,
      GATERAMP_TEST_HOOK_PORT: String(hookPort),
      GATERAMP_TEST_RETURN_URL: RETURN_URL,
    });
    expect(tests?.output).toMatch(/^Ran [1-9]\d* tests? in [\d.]+s\n\nOK$/m);
  });

  it('is a failure on a machine without Python only where CI says that there must be one', async () => {
    const without = { PATH: folder, HOME: folder, PYENV_ROOT: folder };
    expect(await pythons({ ...without, CI: undefined })).toEqual([]);
    await expect(pythons({ ...without, CI: 'true' })).rejects.toThrow('python3');
  });
});

const acme = (webhookUrl: string): object => ({
  id: 'acme',
  name: 'Acme',
  allowed_origins: [new URL(RETURN_URL).origin],
  entitlements: ['swap', 'rails'],
  test: { secret_keys: [SECRET_KEY], webhook_url: webhookUrl, webhook_secret: WEBHOOK_SECRET },
});
