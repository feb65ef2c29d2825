import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

const BODY_MAX = 4096;

/** The pages of a provider. */
export interface ProviderPages {
  /** Their path prefix, such as `/sandbox/`. */
  readonly prefix: string;
  readonly answer: (request: Request) => Promise<Response>;
  readonly onError: (error: unknown) => void;
}

/** The API together with the pages of a provider, which are not part of the contract. */
export function withPages(api: RequestListener, { prefix, answer, onError }: ProviderPages): RequestListener {
  return (request, response) => {
    if (request.url?.startsWith(prefix) !== true) return api(request, response);
    serve(answer, request, response).catch((error: unknown) => {
      onError(error);
      if (!response.headersSent) response.writeHead(503, { 'content-type': 'text/plain; charset=utf-8' });
      response.end('The page cannot be shown at the moment.\n');
    });
  };
}

async function serve(
  pages: (request: Request) => Promise<Response>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const method = request.method ?? 'GET';
  const hasBody = method !== 'GET' && method !== 'HEAD';
  const body = hasBody ? await bodyOf(request) : null;
  const url = new URL(`/.${request.url ?? ''}`, 'http://pages');
  const type = request.headers['content-type'];
  const answered = await pages(
    new Request(url, { method, body, headers: type === undefined ? {} : { 'content-type': type } }),
  );
  response.writeHead(answered.status, Object.fromEntries(answered.headers));
  response.end(method === 'HEAD' ? undefined : Buffer.from(await answered.arrayBuffer()));
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) {
    text += String(chunk);
    if (text.length > BODY_MAX) throw new Error('The form of a page is too large.');
  }
  return text;
}
