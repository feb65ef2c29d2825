import type { RequestListener, ServerResponse } from 'node:http';
import { widgetHandler, type WidgetOptions } from './widget-handler.js';

/** What `widgetHandler` takes, and who is notified of errors. */
export interface WidgetListenerOptions extends WidgetOptions {
  /** Called when `originsOf` fails; the request is answered 503. */
  readonly onError?: (error: unknown) => void;
}

/** The handler for `node:http`, and so for Express and every framework that takes its requests. */
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

/** What is no path at all, as `*` or a whole URL, is a path that leads nowhere. */
function pathOf(url: string | undefined): string {
  return url?.startsWith('/') === true ? `/.${url}` : '/*';
}

async function write(response: ServerResponse, answer: Response): Promise<void> {
  const body = Buffer.from(await answer.arrayBuffer());
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  response.end(body);
}
