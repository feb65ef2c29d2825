import type { RequestListener, ServerResponse } from 'node:http';
import { widgetHandler, type WidgetOptions } from './widget-handler.js';

/** The options of `widgetHandler`, and an error callback. */
export interface WidgetListenerOptions extends WidgetOptions {
  /** Called when `originsOf` or `resolveName` fails; the response is a 503. */
  readonly onError?: (error: unknown) => void;
}

/** The handler for `node:http`, and so for Express and every framework that uses its requests. */
export function widgetListener({ onError = () => undefined, ...options }: WidgetListenerOptions): RequestListener {
  const handle = widgetHandler(options);
  return ({ url, method, headers }, response) => {
    const accepted = headers['accept-encoding'];
    const request = new Request(new URL(pathOf(url), 'http://widget'), {
      method: method === 'HEAD' || method === 'GET' ? method : 'POST',
      headers: typeof accepted === 'string' ? { 'accept-encoding': accepted } : {},
    });
    handle(request)
      .then((answer) => write(response, answer))
      .catch((error: unknown) => {
        onError(error);
        response.writeHead(503, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' });
        response.end('The checkout cannot be shown at the moment.\n');
      });
  };
}

/** Maps a request target that is not a path, such as `*` or an absolute URL, to a path without a file. */
function pathOf(url: string | undefined): string {
  return url?.startsWith('/') === true ? `/.${url}` : '/*';
}

async function write(response: ServerResponse, answer: Response): Promise<void> {
  const body = Buffer.from(await answer.arrayBuffer());
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  response.end(body);
}
