import { memoryStore } from '@gateramp/adapters-store-memory';
import { VERSION } from '@gateramp/core/http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { announcedProcesses, announceProcess } from '../src/monitoring/processes.js';
import { migratedDatabase, runGate } from './run-gate.js';
import { eventually, readyServer } from './running-server.js';

type Process = Readonly<Record<string, unknown>>;

describe('gate work processes', () => {
  it('lists role, host, version, when last seen, and leases of every process of a database', async () => {
    const { settings } = await migratedDatabase();
    const api = await readyServer({ ...settings, GATE_ROLE: 'api' });
    const worker = await readyServer({ ...settings, GATE_ROLE: 'worker' });
    for (const server of [api, worker]) onTestFinished(() => void server.process.kill('SIGKILL'));
    const list = async () =>
      JSON.parse((await runGate('work processes --json', settings)).out || '[]') as readonly Process[];
    const byRole = async (): Promise<Readonly<Record<string, Process>>> =>
      Object.fromEntries((await list()).map((one) => [one['role'], one]));
    const both = await eventually(async () => ((all) => (all.length === 2 ? byRole() : null))(await list()));
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT/);
    for (const [role, server] of [
      ['api', api],
      ['worker', worker],
    ] as const)
      expect(both[role]).toMatchObject({
        ...{
          host: expect.any(String),
          pid: server.process.pid,
          version: VERSION,
          state: 'running',
          // A worker may hold a task from its first moment on.
          leases_held: role === 'api' ? 0 : expect.any(Number),
        },
        ...{ started_at: time, seen_at: time, stopped_at: null },
      });
    expect((await runGate('work processes', settings)).out).toMatch(
      /^ROLE +HOST +PID +VERSION +STATE +LAST SEEN +LEASES +STARTED\n(?:.*\n)?worker /,
    );
    expect((await runGate('work processes', settings)).out).not.toMatch(/\d\.\d+s ago/);
    worker.process.kill('SIGTERM');
    expect(await worker.exited).toBe(0);
    expect((await byRole())['worker']).toMatchObject({ state: 'stopped', stopped_at: time, leases_held: 0 });
  });
});

describe('the entries of processes', () => {
  const alarms = () => Promise.resolve([]);
  const start = (settings: ReturnType<typeof memoryStore>, time: { now: number }, leases = 0) =>
    announceProcess({ settings, role: 'all', now: () => time.now, leasesHeld: () => leases, alarms });

  it('say how many leases the process holds', async () => {
    const settings = memoryStore();
    const { stop } = start(settings, { now: 1_000 }, 7);
    onTestFinished(() => void stop());
    const found = await eventually(async () => (await announcedProcesses(settings, 1_000))[0]);
    expect(found).toMatchObject({ leases_held: 7, seen_at: 1_000 });
  });

  it('do not grow in number with restarts, and are forgotten after a day', async () => {
    const settings = memoryStore();
    const time = { now: 1_000 };
    for (let count = 0; count < 5; count += 1) await start(settings, time).stop();
    expect((await settings.listSettings('process.')).size).toBe(1);
    const [one, other] = [start(settings, time), start(settings, time)];
    await eventually(async () => ((await settings.listSettings('process.')).size === 2 ? true : null));
    expect(await announcedProcesses(settings, time.now + 86_400_000)).toEqual([]);
    await Promise.all([one.stop(), other.stop()]);
  });

  it('are made again after the database lost them', async () => {
    const [before, after] = [memoryStore(), memoryStore()];
    let current = before;
    const settings = {
      ...before,
      swapSetting: (...given: Parameters<typeof before.swapSetting>) => current.swapSetting(...given),
      listSettings: (prefix: string) => current.listSettings(prefix),
    };
    const { stop } = announceProcess({ settings, role: 'all', now: () => 1_000, leasesHeld: () => 0, alarms });
    await eventually(async () => (await announcedProcesses(before, 1_000))[0]);
    current = after;
    await stop();
    await stop();
    expect(await announcedProcesses(after, 1_000)).toHaveLength(1);
  });

  it('stay one for each process when the answer of the database was lost', async () => {
    const store = memoryStore();
    let isLost = false;
    const settings = {
      ...store,
      listSettings: (prefix: string) => store.listSettings(prefix),
      swapSetting: async (...given: Parameters<typeof store.swapSetting>) => {
        const found = await store.swapSetting(...given);
        if (isLost) throw new Error('connection lost');
        return found;
      },
    };
    const other = start(store, { now: 1_000 });
    await eventually(async () => (await announcedProcesses(store, 1_000))[0]);
    const { stop } = start(settings, { now: 1_000 });
    await eventually(async () => (await announcedProcesses(store, 1_000))[1]);
    isLost = true;
    await stop();
    // Another process ends, so its entry is the first that may be used again.
    await other.stop();
    isLost = false;
    await stop();
    const found = await announcedProcesses(store, 1_000);
    expect(found).toHaveLength(2);
    expect(new Set(found.map(({ id }) => id)).size).toBe(2);
  });

  it('tell the other processes which alarms fire, while it runs', async () => {
    const settings = memoryStore();
    const common = { settings, now: () => 1_000, leasesHeld: () => 0 };
    const firing = {
      ...{ name: 'GateTaskParked', since: 500, value: 1 },
      about: [{ fields: { session_id: 's' }, path: null }],
    };
    const worker = announceProcess({ ...common, role: 'worker', alarms: () => Promise.resolve([firing]) });
    const api = announceProcess({ ...common, role: 'api', alarms });
    expect(await eventually(async () => ((all) => (all.length > 0 ? all : null))(await api.alarmsElsewhere()))).toEqual(
      [firing],
    );
    expect(await worker.alarmsElsewhere()).toEqual([]);
    await worker.stop();
    expect(await api.alarmsElsewhere()).toEqual([]);
    await api.stop();
  });
});
