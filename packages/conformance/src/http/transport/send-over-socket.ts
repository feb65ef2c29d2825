import { request as open, type IncomingHttpHeaders } from 'node:http';
import type { WireRequest, WireResponse } from '../subject.js';

/** Sends one request on its own connection. Adds only the framing headers: Host, Connection, Content-Length. */
export function sendOverSocket(port: number, { method, path, headers, body }: WireRequest): Promise<WireResponse> {
  const bytes = body === undefined ? null : Buffer.from(body);
  const length = bytes === null ? {} : { 'content-length': String(bytes.byteLength) };
  return new Promise((resolve, reject) => {
    const request = open({
      host: '127.0.0.1',
      port,
      method,
      path: escaped(path),
      agent: false,
      headers: { ...length, ...headers },
    });
    request.once('error', reject).once('response', (response) => {
      const chunks: Uint8Array[] = [];
      response
        .on('data', (chunk: Uint8Array) => chunks.push(chunk))
        .once('error', reject)
        .once('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          resolve({ status: response.statusCode ?? 0, headers: flat(response.headers), body: text });
        });
    });
    request.end(bytes ?? undefined);
  });
}

/** Laws may use spaces or accented letters, which a request line cannot contain. */
function escaped(path: string): string {
  return path.replace(/[^!-~]+/g, encodeURIComponent);
}

function flat(headers: IncomingHttpHeaders): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')]));
}
