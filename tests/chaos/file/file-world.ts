import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { forgetfulDisk, type ForgetfulDisk } from '../../services/power-cut/disk-journal.js';
import type { Fate } from '../../services/power-cut/disk-image.js';
import type { PhasedExit } from '../audit/facts.js';
import type { Stage } from '../chaos.js';
import { freePort } from '../../services/ports.js';
import { startHelper, type Helper } from '../lib/helper-process.js';
import { serverBundle } from '../lib/server-bundle.js';
import { supervised, type Supervised } from '../lib/supervised.js';
import { partnerOf } from '../partners.js';

export interface FileWorld extends Stage {
  readonly disk: ForgetfulDisk;
  /** The file of the installation. */
  readonly database: string;
  readonly exits: PhasedExit[];
  readonly counts: Record<string, number>;
  /** Starts the only process, and restarts it whenever it ends. */
  readonly start: () => Supervised;
  /** What the next kill does to the disk; null if it only kills the process. */
  fate: Fate | null;
  readonly close: (keepsLogs: boolean) => Promise<void>;
}

/** One server with its own folder, on a disk that can lose unsynced writes. Loopback only. */
export async function openFileWorld(): Promise<FileWorld> {
  const folder = mkdtempSync(join(tmpdir(), 'gateramp-file-'));
  const [port, receiverPort, checkoutPort] = [await freePort(), await freePort(), await freePort()];
  const script = await serverBundle();
  const data = join(folder, 'data');
  const disk = await forgetfulDisk(data);
  const partners = [partnerOf(0, receiverPort), partnerOf(1, receiverPort)];
  const seedFile = join(folder, 'seed.json');
  writeFileSync(seedFile, JSON.stringify({ partners: partners.map(({ seed }) => seed) }));
  const helpers: Helper[] = [];
  const servers: Supervised[] = [];
  const counts: FileWorld['counts'] = {};
  const count = (kind: string, by = 1): void => {
    counts[kind] = (counts[kind] ?? 0) + by;
  };
  const world: FileWorld = {
    folder,
    disk,
    database: join(data, 'gate.db'),
    partners,
    receiverPort,
    origins: [`http://127.0.0.1:${port}`],
    checkouts: [`http://127.0.0.1:${checkoutPort}`],
    exits: [],
    counts,
    fate: null,
    help: async (name, orders) => {
      const helper = await startHelper(name, orders);
      helpers.push(helper);
      return helper;
    },
    start: () => {
      const server = supervised({
        name: 'server',
        script,
        logPath: join(folder, 'server.log'),
        env: {
          ...disk.env,
          ...Object.fromEntries(PORTS.map((name) => [`GATE_${name}_PORT`, '0'])),
          GATE_SANDBOX_PORT: String(port),
          GATE_SANDBOX_WIDGET_PORT: String(checkoutPort),
          GATE_LOG: 'json',
          GATE_RATE_LIMITS: 'off',
          GATE_ALLOW_PRIVATE_WEBHOOKS: 'on',
          GATE_LIVE_SANDBOX: 'on',
          GATE_SEED_FILE: seedFile,
          GATE_DATA_DIR: data,
        },
        // Before it is started again.
        onExit: (exit) => {
          world.exits.push({ ...exit, phase: 'crash', at: Date.now() });
          if (exit.signal !== 'SIGKILL' || world.fate === null) return disk.outlive();
          count('power_cut');
          count('calls_forgotten', disk.cut(world.fate));
        },
      });
      servers.push(server);
      return server;
    },
    close: async (keepsLogs) => {
      helpers.forEach(({ stop }) => stop());
      world.fate = null;
      await Promise.all(servers.map(({ stop }) => stop('SIGKILL')));
      rmSync(script, { force: true });
      if (!keepsLogs) rmSync(folder, { recursive: true, force: true });
    },
  };
  return world;
}

const PORTS = ['LIVE', 'SANDBOX_WIDGET', 'WIDGET', 'POOLS', 'DEMO', 'OPS', 'CONSOLE'];
