import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface Receiver {
  readonly url: string;
  /** Whether it answers 500. */
  isBroken: boolean;
  /** What it has acknowledged. */
  readonly taken: readonly { readonly type: string; readonly headers: IncomingHttpHeaders }[];
}

/** A partner's webhook receiver that can be broken, until the test ends. */
export async function startReceiver(): Promise<Receiver> {
  const taken: { type: string; headers: IncomingHttpHeaders }[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      if (receiver.isBroken) return response.writeHead(500).end('out of stock');
      // Every webhook has a type.
      taken.push({ type: (JSON.parse(body) as { readonly type: string }).type, headers: request.headers });
      return response.writeHead(200).end('ok');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A server that listens on a port has an address of this form.
  const { port } = server.address() as AddressInfo;
  onTestFinished(() => void server.close());
  const receiver: Receiver = { url: `http://127.0.0.1:${port}/hooks`, isBroken: false, taken };
  return receiver;
}
