import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DEMO_KEYS } from '../../../apps/reference-server/src/demo/demo-partner.js';
import { readyServer, type ReadyServer } from '../../../apps/reference-server/test/running-server.js';
import { debianHttpx, run } from '../../../sdks/python/test/python.js';
import { npm } from '../../../tools/lib/npm.mjs';
import { root } from '../../../tools/lib/workspaces.mjs';
import { freePort } from '../../services/ports.js';
import { blocksUnder, close, type, type Block, type Terminal } from '../walk.js';

const FIVE_MINUTES_MS = 300_000;
/** Types included, which a deep run has built before. */
const PACKED_WITHIN_MS = 900_000;
/** The demo partner as `npm start` has it, with the page of its shop. */
const DEMO = {
  id: '65f0de300000000000000001',
  name: 'Demo shop',
  allowed_origins: ['http://localhost:4240'],
  test: { secret_keys: [DEMO_KEYS.secret], publishable_keys: [DEMO_KEYS.publishable] },
};

const canInstallPython = (await run('python3', ['-c', 'import ensurepip, venv']))?.code === 0;

describe('docs/first-webhook.md, typed as printed', () => {
  let home: string;
  let server: ReadyServer;
  let ports: Readonly<Record<string, number>>;
  let shopUrl: string;
  let terminals: Terminal[];
  beforeEach(async () => {
    terminals = [];
    home = mkdtempSync(join(tmpdir(), 'gate-first-webhook-'));
    symlinkSync(root, join(home, 'gateramp'));
    await npm(['run', 'pack'], root);
    // Another server of this machine may be where `npm start` is.
    const [api, checkout, shop] = [await freePort(), await freePort(), await freePort()];
    shopUrl = `http://127.0.0.1:${shop}/`;
    ports = { 4242: api, 4244: checkout, 3000: shop };
    const seed = join(home, 'seed.json');
    writeFileSync(seed, JSON.stringify({ partners: [DEMO] }));
    server = await readyServer({
      GATE_SANDBOX_PORT: String(api),
      GATE_SANDBOX_WIDGET_PORT: String(checkout),
      GATE_SEED_FILE: seed,
    });
  }, PACKED_WITHIN_MS);
  afterEach(() => {
    terminals.forEach(close);
    server.process.kill('SIGKILL');
    rmSync(home, { recursive: true, force: true });
  });

  /** Types a block; what goes on running is ended with the test. */
  const typed = ({ text }: Block): Terminal => {
    // pip finds httpx in a folder, since tests reach no PyPI.
    const pip = { PIP_NO_INDEX: '1', PIP_FIND_LINKS: join(home, 'wheels') };
    const terminal = type(text, home, { GATERAMP_BASE_URL: server.origins.sandbox, ...pip });
    terminals.push(terminal);
    return terminal;
  };

  async function walk(heading: string, folder: string, file: string): Promise<void> {
    const blocks = blocksUnder(heading, ports);
    expect(blocks.map(({ language }) => language)).toEqual([
      'sh',
      file.endsWith('.py') ? 'python' : 'js',
      'sh',
      'sh',
      'sh',
    ]);
    const [setUp, code, start, listen, trigger] = blocks as readonly [Block, Block, Block, Block, Block];

    await typed(setUp).done;
    expect(statSync(join(home, folder)).mode & 0o777).toBe(0o700);
    writeFileSync(join(home, folder, file), code.text);
    const shop = typed(start);
    await shop.says(/^The shop is open: \S+$/m);
    await typed(listen).says(/^Forwarding events to \S+$/m);
    await typed(trigger).done;
    await shop.says(/^paid 25\.00 EUR gtx_\w+$/m);
    const verified = [...shop.printed().matchAll(/^verified (\S+)$/gm)].map(([, event]) => event);
    expect(verified).toEqual(['gate_session.created', 'gate_session.processing', 'gate_session.completed']);

    await typed({ ...trigger, text: trigger.text.replace(' --set amount=25.00', '') }).done;
    await shop.says(/^not as ordered 100\.00 EUR gtx_\w+$/m);
    expect(shop.printed()).not.toMatch(/^paid 100/m);

    const bought = await fetch(shopUrl, { redirect: 'manual' });
    expect(bought.status).toBe(303);
    expect((await fetch(bought.headers.get('location') ?? '')).status).toBe(200);
  }

  it('leads from an empty folder to a verified webhook in Node, in five minutes', { timeout: FIVE_MINUTES_MS }, () =>
    walk('In Node', 'shop', 'shop.mjs'),
  );

  it.runIf(canInstallPython)('and in Python', { timeout: FIVE_MINUTES_MS }, async () => {
    mkdirSync(join(home, 'wheels'));
    const packing = [join(import.meta.dirname, '../wheels_of.py'), await debianHttpx(), join(home, 'wheels')];
    expect(await run('python3', packing)).toEqual({ code: 0, output: '' });
    await walk('In Python', 'shop-py', 'shop.py');
  });
});
