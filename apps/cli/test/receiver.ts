import { createServer, type Server } from 'node:http';
import { expect, onTestFinished } from 'vitest';
import { type Gate, webhooks, type WebhookEvent } from '@gateramp/sdk-node';
import { freePort } from '../../../tests/services/ports.js';

/**
 * A partner's receiver, with the same address after every restart. It verifies requests, and records
 * acknowledged ones in the order of arrival.
 */
export interface Receiver {
  readonly url: string;
  readonly events: WebhookEvent[];
  /** The statuses of the next answers instead of 200; such an event counts as not received. */
  readonly answers: number[];
  /** The number of requests that the receiver has answered, including repeated ones. */
  posts(): number;
  start(): Promise<void>;
  stop(): Promise<void>;
}

export async function receiverOf(secret: string): Promise<Receiver> {
  const port = await freePort();
  const events: WebhookEvent[] = [];
  const answers: number[] = [];
  let posts = 0;
  let server: Server | null = null;
  const { express: listener } = webhooks.receive({ secret, handle: (event) => void events.push(event) });

  const start = (): Promise<void> =>
    new Promise((resolve) => {
      server = createServer((request, response) => {
        const status = answers.shift();
        if (status === undefined) posts += 1;
        if (status === undefined) listener(request, response);
        else request.resume().on('end', () => response.writeHead(status).end('not now,\n\u001b[2J please'));
      });
      server.listen(port, '127.0.0.1', resolve);
    });
  const stop = (): Promise<void> =>
    new Promise((resolve) => {
      if (server === null) return resolve();
      server.close(() => resolve());
      server.closeAllConnections();
      server = null;
    });
  onTestFinished(stop);
  await start();
  return { url: `http://127.0.0.1:${port}/hooks`, events, answers, posts: () => posts, start, stop };
}

/** The id of a delivery that the receiver has refused until it was dead-lettered. */
export async function deadLettered(gate: Gate, { answers }: Receiver): Promise<string> {
  answers.push(500, 500, 500, 500, 500);
  const { delivery_id: id } = await gate.webhooks.test();
  // One call runs due work for some seconds at most.
  const later = async () => {
    await gate.testHelpers.advanceClock(4 * 3600);
    return (await gate.webhooks.deliveries.retrieve(id)).status;
  };
  await expect.poll(later).toBe('dead_lettered');
  return id;
}
