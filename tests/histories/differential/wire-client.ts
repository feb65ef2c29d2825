import { Agent, request as open } from 'node:http';
import type { Answer, Exchange } from './known.js';

/** A client of one server, with one keep-alive connection. */
export class WireClient {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 1 });

  constructor(private readonly port: number) {}

  ask({ method, path, headers, body }: Exchange): Promise<Answer> {
    const length = body === null ? {} : { 'content-length': String(body.byteLength) };
    return new Promise((resolve, reject) => {
      const sent = { ...length, ...sendable(headers) };
      const request = open({
        host: '127.0.0.1',
        port: this.port,
        method,
        path: escaped(path),
        agent: this.agent,
        headers: sent,
      });
      request.once('error', reject).once('response', (response) => {
        const chunks: Uint8Array[] = [];
        response
          .on('data', (chunk: Uint8Array) => chunks.push(chunk))
          .once('error', reject)
          .once('end', () => {
            const kept = Object.entries(response.headers).filter(([name]) => !OF_THE_CONNECTION.has(name));
            const text = Object.fromEntries(kept.map(([name, value]) => [name, [value].flat().join(', ')]));
            resolve({
              status: response.statusCode ?? 0,
              headers: text,
              body: Buffer.concat(chunks).toString('latin1'),
            });
          });
      });
      request.end(body ?? undefined);
    });
  }

  close(): void {
    this.agent.destroy();
  }
}

/** Headers of the connection, which are not part of the contract. */
const OF_THE_CONNECTION = new Set(['date', 'connection', 'keep-alive']);

/** Encodes header values as the bytes of their UTF-8, because Node's client refuses other characters. */
function sendable(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Buffer.from(value).toString('latin1')]),
  );
}

function escaped(path: string): string {
  return path.replace(/[^!-~]+/g, encodeURIComponent);
}
