import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { onTestFinished } from 'vitest';

import { portOf } from '../services/ports.js';

/** What is answered to one path. A text alone is a page. */
export type Served = string | ServedFile;

export interface ServedFile {
  readonly body: string | Uint8Array;
  /** Of HTML by default. */
  readonly type?: string;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Site {
  /** `http://127.0.0.1:<port>`: another port is another origin, for the browser as for us. */
  readonly origin: string;
  /** Paths with their queries, in the order in which they were asked for. */
  readonly requests: readonly string[];
  /** From now on this is answered at `path`. */
  serve(path: string, served: Served): void;
}

/** A site on an origin of its own, until the test ends. Paths are served whatever their query; others answer 404. */
export async function servePages(pages: Readonly<Record<string, Served>> = {}): Promise<Site> {
  const served = new Map(Object.entries(pages));
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(request.url ?? '');
    const file = fileOf(served.get(pathOf(request)));
    const { body, status = 200, type = 'text/html; charset=utf-8', headers = {} } = file;
    response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store', ...headers }).end(body);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    origin: `http://127.0.0.1:${portOf(server)}`,
    requests,
    serve: (path, page) => void served.set(path, page),
  };
}

const pathOf = ({ url = '/' }: IncomingMessage): string => url.split('?', 1)[0] ?? '/';

function fileOf(served: Served | undefined): ServedFile {
  if (served === undefined) return { status: 404, type: 'text/plain', body: 'There is nothing here.' };
  return typeof served === 'string' ? { body: served } : served;
}

/** A script of the site's own, as a Content-Security-Policy without `'unsafe-inline'` wants it. */
export function script(body: string): ServedFile {
  return { type: 'text/javascript; charset=utf-8', body };
}
