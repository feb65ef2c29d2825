import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import proxyAddr from '@fastify/proxy-addr';
import type { Mode } from '@gateramp/core';
import { NO_BODY, type GateHost, type HttpResponse } from '@gateramp/core/http';
import { PAGE_PATHS } from '@gateramp/extensions/api-document';
import { encoded, encodingFor, type Encoded } from './compression.js';
import type { ReferenceFiles } from './reference-files.js';

/**
 * Allows the page's own scripts, and the styles that Scalar generates at run time in elements and attributes, which no hash or nonce can
 * cover. Scripts stay strict: no inline code, no eval, no other origin.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

interface Reference {
  readonly gate: Pick<GateHost, 'handle'>;
  readonly mode: Mode;
  readonly files: ReferenceFiles;
  /** The proxies whose `X-Forwarded-For` is trusted; null for none. */
  readonly trustedProxies: string | null;
  /** Handles all other requests. */
  readonly api: RequestListener;
}

/**
 * The API reference: the gate's own pages, compressed, and the overview at `/docs` with Scalar on top. Without JavaScript the overview
 * remains, which explains every error code.
 */
export function referenceListener({ gate, mode, files, api, trustedProxies }: Reference): RequestListener {
  const compress = compressor();
  const trusts = proxyAddr.compile(trustedProxies?.split(',').map((one) => one.trim()) ?? []);
  const ask = (request: IncomingMessage, path: string): Promise<HttpResponse> =>
    gate.handle(mode, {
      method: 'GET',
      path,
      query: '',
      headers: request.headers,
      body: NO_BODY,
      clientIp: proxyAddr(request, trusts),
    });
  return (request, response) => {
    const path = (request.url ?? '').split('?', 1)[0] ?? '';
    const file = files.files.get(path.replace(/^\/docs\//, ''));
    if (request.method !== 'GET' && request.method !== 'HEAD') return api(request, response);
    if (path.startsWith('/docs/') && file !== undefined) {
      // For the gate this is an unknown path, which counts in the global tiers.
      ask(request, path)
        .then((answer) => {
          if (answer.status === 404) return send(request, response, FILE_HEADERS, file.type, file.body);
          refuse(request, response, answer);
        })
        .catch(() => api(request, response));
      return;
    }
    if (!PAGE_PATHS.some((page) => page === path)) return api(request, response);
    ask(request, path)
      .then((answer) => {
        if (answer.status !== 200) return refuse(request, response, answer);
        const { headers, body } = path === '/docs' ? withScalar(answer, files) : answer;
        send(request, response, headers, headers['content-type'] ?? '', compress(path, body));
      })
      .catch(() => api(request, response));
  };
}

const FILE_HEADERS = { 'cache-control': 'public, max-age=31536000, immutable', 'x-content-type-options': 'nosniff' };

function withScalar({ headers, body }: HttpResponse, { names }: ReferenceFiles): Omit<HttpResponse, 'status'> {
  const links = `<link rel="icon" href="data:,">
<link rel="stylesheet" href="docs/${names.style}">
<script defer src="docs/${names.script}" data-scalar="docs/${names.scalar}"></script>
</head>`;
  return { headers: { ...headers, 'content-security-policy': POLICY }, body: body.replace('</head>', links) };
}

/** The pages change only with a release, so each is compressed once. */
function compressor(): (path: string, text: string) => Encoded {
  const cache = new Map<string, { text: string; body: Encoded }>();
  return (path, text) => {
    const cached = cache.get(path);
    if (cached?.text === text) return cached.body;
    const body = encoded(text);
    cache.set(path, { text, body });
    return body;
  };
}

/** Not left to the API, which would count the request again. */
function refuse({ method }: IncomingMessage, response: ServerResponse, { status, headers, body }: HttpResponse): void {
  response.writeHead(status, headers).end(method === 'HEAD' ? undefined : body);
}

function send(
  request: IncomingMessage,
  response: ServerResponse,
  headers: Readonly<Record<string, string>>,
  type: string,
  body: Encoded,
): void {
  const encoding = encodingFor(String(request.headers['accept-encoding'] ?? ''));
  response.writeHead(200, {
    ...headers,
    'content-type': type,
    ...(encoding === 'identity' ? {} : { 'content-encoding': encoding }),
    'content-length': body[encoding].byteLength,
    vary: 'Accept-Encoding',
  });
  response.end(request.method === 'HEAD' ? undefined : body[encoding]);
}
