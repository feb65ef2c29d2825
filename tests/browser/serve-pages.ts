import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { onTestFinished } from 'vitest';

import { portOf } from '../services/ports.js';

/** The response for a path. A plain string is an HTML page. */
export type Served = string | ServedFile;

export interface ServedFile {
  readonly body: string | Uint8Array;
  /** The content type; HTML by default. */
  readonly type?: string;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Site {
  /** `http://127.0.0.1:<port>`. Each port is a separate origin. */
  readonly origin: string;
  /** The requested paths with their queries, in order. */
  readonly requests: readonly string[];
  /** Sets the response for `path`. */
  serve(path: string, served: Served): void;
}

/** Serves a site on its own origin until the test ends. Queries are ignored; unknown paths answer 404. */
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
  if (served === undefined) return { status: 404, type: 'text/plain', body: 'Page not found.' };
  return typeof served === 'string' ? { body: served } : served;
}

/** A script served as a file, as a Content-Security-Policy without `'unsafe-inline'` requires. */
export function script(body: string): ServedFile {
  return { type: 'text/javascript; charset=utf-8', body };
}
