import { Agent, request } from 'node:http';
import { setTimeout as rest } from 'node:timers/promises';

/** One request of the load. `lost` if the connection ended before its complete answer. */
export interface Asked {
  readonly id: string;
  readonly status: number | 'lost';
  readonly body: string;
}

export interface Load {
  /** Resolves when that many sessions have been created. */
  created(count: number): Promise<void>;
  /** Sends no more, and returns what became of every request; those that found no server are left out. */
  end(): Promise<readonly Asked[]>;
}

const CLIENTS = 16;

/** Between attempts to reach a server that is closed. */
const REST_MS = 20;

/** Clients that create sessions on kept connections, and that keep sending while the server stops. */
export function startLoad(url: string, key: string): Load {
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
  const asked: Asked[] = [];
  let isEnding = false;
  const client = async (_: unknown, nth: number): Promise<void> => {
    for (let count = 0; !isEnding; count += 1) {
      const one = await create(agent, url, { key, id: `order-${nth}-${count}` });
      if (one !== null) asked.push(one);
      else await rest(REST_MS);
    }
  };
  const clients = Array.from({ length: CLIENTS }, client);
  return {
    async created(count) {
      while (asked.filter(({ status }) => status === 201).length < count) await rest(REST_MS);
    },
    async end() {
      isEnding = true;
      await Promise.all(clients);
      agent.destroy();
      return asked;
    },
  };
}

/** Null if the server is closed. */
function create(
  agent: Agent,
  url: string,
  { key, id }: { readonly key: string; readonly id: string },
): Promise<Asked | null> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'idempotency-key': id };
  return new Promise((resolve) => {
    const lost = (error: NodeJS.ErrnoException): void =>
      resolve(error.code === 'ECONNREFUSED' ? null : { id, status: 'lost', body: '' });
    const sent = request(`${url}/v1/gate_sessions`, { agent, method: 'POST', headers }, (response) => {
      let body = '';
      response
        .setEncoding('utf8')
        .on('data', (part: string) => (body += part))
        .on('error', lost)
        .on('end', () => resolve({ id, status: response.statusCode ?? 0, body }));
    });
    sent.on('error', lost).end('{"amount":"100.00","currency":"EUR","return_url":"https://shop.example/done"}');
  });
}
