import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Gate, type GateEvent } from '@gateramp/sdk-node';
import { describe, expect, it, onTestFinished } from 'vitest';
import { freePort } from '../../../tests/services/ports.js';
import { startReferenceServer, TEST_PARTNER, type ReferenceServer } from '../../../tests/services/reference-server.js';
import { scratchDatabase } from '../../../tests/services/scratch-database.js';
import { linesOf, runCli, startCli, type RunningCli } from './run-cli.js';
import { receiverOf, type Receiver } from './receiver.js';

const SECRET = 'whsec_9fQ2bTzW1kLmX7cVn2Rs4yUe6iOp8aSd';
const MASTER_KEY = 'q0X3ZkT8m1yB7vNf5cJr9LwHs2DgPa6UoEiKx4MtQzY=';
const WITHIN = { interval: 20 };

interface Partner {
  readonly gate: Gate;
  readonly receiver: Receiver;
  readonly state: string;
  readonly env: Readonly<Record<string, string>>;
  /** Starts `gateramp listen` and waits until it is ready. */
  listen(...more: string[]): Promise<RunningCli>;
  /** Opens sessions and cancels them: two events each. */
  trade(count: number): Promise<void>;
  /** The whole feed, oldest first. */
  feed(): Promise<readonly GateEvent[]>;
}

async function openPartner({ origins, returnUrl }: ReferenceServer): Promise<Partner> {
  const dir = mkdtempSync(join(tmpdir(), 'gateramp-listen-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const state = join(dir, 'place.json');
  const gate = new Gate(TEST_PARTNER.secretKey, { baseUrl: origins.sandbox });
  const receiver = await receiverOf(SECRET);
  const env = {
    GATERAMP_SECRET_KEY: TEST_PARTNER.secretKey,
    GATERAMP_BASE_URL: origins.sandbox,
    GATERAMP_WEBHOOK_SECRET: SECRET,
  };
  return {
    gate,
    receiver,
    state,
    env,
    listen: async (...more) => {
      const args = ['listen', '--forward-to', receiver.url, '--state', state, '--interval', '50', '--json', ...more];
      const cli = startCli(args, { env });
      await expect.poll(() => cli.out(), WITHIN).toContain('"ready":true');
      return cli;
    },
    trade: async (count) => {
      for (let n = 0; n < count; n += 1) {
        const { id } = await gate.gateSessions.create({ amount: '100.00', currency: 'EUR', return_url: returnUrl });
        await gate.gateSessions.cancel(id);
      }
    },
    feed: async () => {
      const events: GateEvent[] = [];
      for await (const event of gate.events.list({ limit: 100 })) events.push(event);
      return events.reverse();
    },
  };
}

const idsOf = (events: readonly { readonly id: string }[]): readonly string[] => events.map(({ id }) => id);

/** Waits until the receiver has as many events as the feed, and expects the same ones in the same order. */
async function receivedAll({ receiver, feed }: Partner, from = 0): Promise<void> {
  const whole = idsOf(await feed()).slice(from);
  await expect.poll(() => receiver.events.length, WITHIN).toBeGreaterThanOrEqual(whole.length);
  expect(idsOf(receiver.events)).toEqual(whole);
}

describe('gateramp listen', () => {
  it('ends when its output is no longer read, having kept what it has posted', async () => {
    const d = await openPartner(await startReferenceServer());
    const cli = await d.listen();
    cli.process.stdout?.destroy();
    await d.trade(1);
    expect(await cli.ended).toMatchObject({ code: 0, err: '' });
    await d.listen();
    await receivedAll(d);
  });

  it('posts what happens from now on, in order, signed and as it is delivered', async () => {
    const d = await openPartner(await startReferenceServer());
    await d.trade(2);
    const cli = await d.listen();
    await d.trade(3);
    await receivedAll(d, 4);
    const { object: _, ...envelope } = (await d.feed()).at(-1) ?? expect.unreachable();
    expect(d.receiver.events.at(-1)).toEqual(envelope);
    await expect.poll(() => linesOf(cli.out()).length, WITHIN).toBe(7);
    expect(linesOf(cli.out()).at(-1)).toMatchObject({
      ...{ event_id: envelope.id, session_id: expect.stringMatching(/^[0-9a-f]{24}$/), type: 'gate_session.cancelled' },
      ...{ attempt: 1, status: 200, error: null, answer: null },
    });
    cli.process.kill('SIGINT');
    expect((await cli.ended).code).toBe(0);
  });

  it('loses and reorders nothing over restarts of itself, ended or killed', async () => {
    const d = await openPartner(await startReferenceServer());
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGTERM'] as const) {
      const cli = await d.listen();
      await d.trade(2);
      cli.process.kill(signal);
      expect((await cli.ended).code).toBe(0);
      await d.trade(1);
    }
    const last = await d.listen();
    await receivedAll(d);
    expect(d.receiver.events).toHaveLength(18);
    // After the stop signal, it posts nothing a second time.
    expect(d.receiver.posts()).toBe(18);
    // Two at a time would post the next events twice.
    last.process.kill('SIGTERM');
    expect((await last.ended).code).toBe(0);

    const killed = await d.listen();
    killed.process.kill('SIGKILL');
    await killed.ended;
    await d.trade(2);
    await d.listen();
    await receivedAll(d);
  });

  it('loses and reorders nothing over restarts of the receiver', async () => {
    const d = await openPartner(await startReferenceServer());
    const cli = await d.listen();
    await d.trade(2);
    await d.receiver.stop();
    await d.trade(2);
    await expect.poll(() => cli.out(), WITHIN).toContain('ECONNREFUSED');
    await d.receiver.start();
    await d.trade(2);
    d.receiver.answers.push(503, 502, 500);
    await d.trade(2);
    await receivedAll(d);
  });

  it('loses and reorders nothing over restarts of the service', async () => {
    const database = await scratchDatabase();
    const settings = {
      DATABASE_URL: database.url,
      GATE_MASTER_KEY: MASTER_KEY,
      GATE_SANDBOX_PORT: String(await freePort()),
      GATE_DEMO_PORT: String(await freePort()),
    };
    let server = await startReferenceServer({ settings });
    const d = await openPartner(server);
    const cli = await d.listen();
    await d.trade(2);
    for (let round = 0; round < 2; round += 1) {
      await server.stop();
      await expect.poll(() => cli.err(), WITHIN).toContain('Waiting for the service');
      server = await startReferenceServer({ settings });
      await d.trade(2);
    }
    await receivedAll(d);
    expect(d.receiver.events).toHaveLength(12);
    expect(cli.err()).toContain('The service is reachable again.');
  });

  it('forwards what a service that has lost its data recreates', async () => {
    const settings = { GATE_SANDBOX_PORT: String(await freePort()), GATE_DEMO_PORT: String(await freePort()) };
    const first = await startReferenceServer({ settings });
    const d = await openPartner(first);
    const cli = await d.listen();
    await d.trade(1);
    await receivedAll(d);
    cli.process.kill('SIGTERM');
    await cli.ended;
    await first.stop();
    await startReferenceServer({ settings });
    d.receiver.events.length = 0;
    await d.trade(2);
    const again = await d.listen();
    await receivedAll(d);
    expect(again.err()).toContain('does not know the last forwarded event');
  });

  it('leaves behind what is refused five times, as the service does, and says so', async () => {
    const d = await openPartner(await startReferenceServer());
    const cli = await d.listen();
    d.receiver.answers.push(400, 400, 500, 400, 422);
    await d.trade(1);
    await expect.poll(() => d.receiver.events.length, WITHIN).toBe(1);
    const [left] = await d.feed();
    const attempts = linesOf(cli.out()).filter(({ event_id }) => event_id === left?.id);
    expect(attempts.map(({ status }) => status)).toEqual([400, 400, 500, 400, 422]);
    expect(attempts.map(({ answer }) => answer)).toEqual(Array(5).fill('not now, [2J please'));
    expect(idsOf(d.receiver.events)).not.toContain(left?.id);
    expect(cli.err()).toContain(`${left?.id} was skipped`);
  });

  it('forwards only the types that are wanted, or all from the start', async () => {
    const d = await openPartner(await startReferenceServer());
    await d.trade(2);
    await d.listen('--from-start', '--events', 'gate_session.cancelled');
    await expect.poll(() => d.receiver.events.length, WITHIN).toBe(2);
    expect(d.receiver.events.map(({ type }) => type)).toEqual(['gate_session.cancelled', 'gate_session.cancelled']);
  });

  it('prints ready only after its key was accepted, from any position', async () => {
    const d = await openPartner(await startReferenceServer());
    const args = ['listen', '--forward-to', d.receiver.url, '--state', d.state];
    const env = { ...d.env, GATERAMP_SECRET_KEY: 'sk_test_of_nobody' };
    for (const more of [[], ['--from-start']]) {
      const { code, out, err } = await runCli([...args, ...more], { env });
      expect({ code, out }, more.join()).toEqual({ code: 1, out: '' });
      expect(err).toContain('invalid_api_key');
      expect(existsSync(d.state)).toBe(false);
    }
    // With a position, too.
    const cli = await d.listen();
    cli.process.kill('SIGTERM');
    await cli.ended;
    expect(await runCli(args, { env })).toMatchObject({ code: 1, out: '' });
  });

  it('prints a secret once, when it makes it, and never one that it was given or has kept', async () => {
    const d = await openPartner(await startReferenceServer());
    const given = await d.listen();
    expect(given.out() + given.err()).not.toContain(SECRET);
    given.process.kill('SIGTERM');
    await given.ended;
    const started = async (...more: string[]): Promise<string> => {
      const args = ['listen', '--forward-to', d.receiver.url, '--interval', '50', ...more];
      const { GATERAMP_WEBHOOK_SECRET: _, ...env } = d.env;
      const cli = startCli(args, { env });
      await expect.poll(() => cli.out(), WITHIN).toContain('Forwarding events to');
      cli.process.kill('SIGTERM');
      const { code, out } = await cli.ended;
      expect(code).toBe(0);
      return out;
    };
    expect(await started('--state', d.state)).not.toContain(SECRET);
    const fresh = `${d.state}.fresh`;
    const [made = ''] = /whsec_[0-9a-f]{48}/.exec(await started('--state', fresh)) ?? expect.unreachable();
    expect(await started('--state', fresh)).not.toContain(made);
  });

  it('keeps its place where no one else reads it', async () => {
    const d = await openPartner(await startReferenceServer());
    await d.listen();
    expect(statSync(d.state).mode & 0o077).toBe(0);
  });
});
