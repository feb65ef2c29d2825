import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** What happens to a request on its way. `after`: the service has executed the request, but its response is lost. */
export type Fault =
  | 'none'
  | 'reset_before'
  | 'reset_after'
  | 'hang_before'
  | 'hang_after'
  | 'half_a_body'
  | 'half_a_body_of_no_said_length'
  | 'not_json'
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly after?: boolean };

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly key: string | null;
  readonly body: string;
}

export interface FaultyProxy {
  readonly url: string;
  readonly seen: readonly SeenRequest[];
}

interface Way {
  readonly target: string;
  readonly faults: readonly Fault[];
  readonly seen: SeenRequest[];
  readonly onHang: () => void;
}

/** A proxy in front of the service. The n-th request meets the n-th fault; later requests meet none. `onHang` is called where one hangs. */
export async function faultyProxy(
  target: string,
  faults: readonly Fault[],
  onHang: () => void = () => undefined,
): Promise<FaultyProxy> {
  const seen: SeenRequest[] = [];
  const server = createServer((request, response) => {
    void meet({ target, faults, seen, onHang }, request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

async function meet(
  { target, faults, seen, onHang }: Way,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const chunks: Buffer[] = [];
  // Bytes, as no encoding is set.
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks);
  const { method = 'GET', url = '/', headers } = request;
  const fault = faults[seen.length] ?? 'none';
  const key = headers['idempotency-key'];
  seen.push({ method, path: url, key: typeof key === 'string' ? key : null, body: body.toString() });

  const forward = async (): Promise<{ status: number; headers: Headers; text: string }> => {
    const { host: _host, connection: _connection, 'content-length': _length, ...kept } = headers;
    const init = method === 'GET' ? {} : { body };
    const answer = await fetch(`${target}${url}`, { method, headers: kept as Record<string, string>, ...init });
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  };

  if (typeof fault === 'object') {
    if (fault.after === true) await forward();
    response.writeHead(fault.status, { 'content-type': 'text/html', ...fault.headers }).end('<h1>Not today</h1>');
    return;
  }
  switch (fault) {
    case 'reset_before':
      request.socket.resetAndDestroy();
      return;
    case 'hang_before':
      return onHang();
    default:
  }
  const answer = await forward();
  switch (fault) {
    case 'reset_after':
      request.socket.resetAndDestroy();
      return;
    case 'hang_after':
      return onHang();
    case 'not_json':
      response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Please log in</h1>');
      return;
    case 'half_a_body_of_no_said_length':
      // As in HTTP/1.0, the body ends with the connection, so nothing shows that it is incomplete.
      response.useChunkedEncodingByDefault = false;
      response.writeHead(answer.status, { 'content-type': 'application/json', connection: 'close' });
      response.end(answer.text.slice(0, answer.text.length / 2));
      return;
    case 'half_a_body': {
      const whole = Buffer.from(answer.text);
      response.writeHead(answer.status, { 'content-type': 'application/json', 'content-length': whole.length });
      response.write(whole.subarray(0, whole.length / 2), () => request.socket.end());
      return;
    }
    default:
      response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(answer.text);
  }
}
