import type { Mode } from '@gateramp/core';
import type { Gate } from '../src/server/gate.js';
import { type ConsoleHandler, consoleHandler, type ConsoleOptions, type Role } from '../src/index.js';

export const ORIGIN = 'https://console.example';

export interface TestConsole {
  readonly gate: Gate;
  readonly handle: ConsoleHandler;
}

export function testConsole(gate: Gate, options: Partial<ConsoleOptions> = {}): TestConsole {
  return { gate, handle: consoleHandler({ gate, authorize: () => null, origin: ORIGIN, ...options }) };
}

export interface Asked {
  readonly method?: string;
  readonly cookie?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends a request as the page does. Of a stream, reads only the first message. */
export async function ask(console: TestConsole, path: string, asked: Asked = {}): Promise<Response> {
  const answer = await send(console, path, asked);
  if (answer.headers.get('content-type') !== 'text/event-stream') return answer;
  const reader = answer.body?.getReader();
  const first = await reader?.read();
  await reader?.cancel();
  return new Response(first?.value ?? null, answer);
}

/** Sends a request as the page does, and leaves a stream open. */
export function send({ handle }: TestConsole, path: string, { method = 'GET', cookie, body, headers }: Asked = {}) {
  const isRead = method === 'GET';
  return handle(
    new Request(`${ORIGIN}/console/v1${path}`, {
      method,
      headers: {
        ...(cookie === undefined ? {} : { cookie }),
        ...(isRead ? {} : { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' }),
        ...headers,
      },
      ...(isRead ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body ?? {}) }),
    }),
  );
}

/** The cookie of a new session. `partnerId` null: of an operator. */
export async function signedIn(
  console: TestConsole,
  partnerId: string | null,
  { mode = 'test', role = 'viewer', actor = 'ada@shop.example' }: { mode?: Mode; role?: Role; actor?: string } = {},
): Promise<string> {
  const { code } = await console.gate.console.invite(partnerId, {
    role,
    actor,
    ...(partnerId === null ? {} : { mode }),
  });
  const answer = await ask(console, '/session', { method: 'POST', body: { code } });
  if (answer.status !== 201) throw new Error(`Not signed in: ${await answer.text()}`);
  return (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
}
