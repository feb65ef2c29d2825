import { assetAnswer, NO_SNIFF, plainAnswer } from '../../../design/page-files.js';
import { pageHeaders } from './page-headers.js';
import { openingPage, type Look } from './opening-page.js';
import { readWidgetFiles } from './widget-files.js';

/** The mode and API of the hosted checkout, and the callbacks that it reads partner data with. */
export interface WidgetOptions {
  /** The mode of this host. Test keys open only the checkout of `test`. */
  readonly mode: 'test' | 'live';
  /** Where browsers reach that mode's API: an origin, with the path under which the API is mounted, if any. */
  readonly apiOrigin: string;
  /** Returns the allowed origins of the partner with this publishable key; null if the key is unknown, revoked or of the other mode. */
  readonly originsOf: (publishableKey: string) => Promise<readonly string[] | null>;
  /**
   * Returns the appearance of the partner's checkout, so that its name, logo and theme show before the script has loaded; null for a key as
   * above. Without this callback, or when it fails, they appear once the session has loaded.
   */
  readonly lookOf?: (publishableKey: string) => Promise<Look | null>;
  /**
   * Resolves a name such as `ada.eth` to its address on a network; null if it has none. Without this callback, buyers can enter addresses
   * only. Calls are unauthenticated, so rate-limit and cache the look-ups.
   */
  readonly resolveName?: (name: string, network: string) => Promise<string | null>;
  /** Origins of the provider components that the checkout may frame: those of `components[].frame_url` in the capabilities. */
  readonly componentOrigins?: readonly string[];
  /**
   * Origins that may frame `/preview`, such as the console. The page shows the first step with a branding that the framing page chooses.
   * By default there is no such page.
   */
  readonly previewedBy?: readonly string[];
}

/** Answers every request to the widget's origin. Rejects when `originsOf` or `resolveName` rejects. */
export type WidgetHandler = (request: Request) => Promise<Response>;

/**
 * Serves the hosted checkout under any framework: `/embed` for the iframe in partners' pages, `/` for the full page, and their files. It
 * needs an origin of its own, the one configured as `hosts.<mode>.widgetOrigin` of the gate. The `Host` header is ignored.
 */
export function widgetHandler({
  mode,
  apiOrigin,
  originsOf,
  lookOf,
  resolveName,
  componentOrigins = [],
  previewedBy = [],
}: WidgetOptions): WidgetHandler {
  const api = apiBase(apiOrigin);
  const { page, preview, assets } = readWidgetFiles();
  const previewers = previewedBy.map(exactOrigin);
  const resolvesNames = resolveName !== undefined;
  const html = page
    .replaceAll('__GATE_API__', api)
    .replaceAll('__GATE_MODE__', mode)
    .replaceAll('__GATE_NAMES__', resolvesNames ? 'on' : 'off');
  const source = { apiOrigin: new URL(api).origin, frames: componentOrigins.map(exactOrigin), resolvesNames };

  const pageOf = async (kind: 'frame' | 'page', query: URLSearchParams): Promise<string> => {
    const key = query.get('publishableKey') ?? query.get('key');
    const look = key === null ? null : await lookOf?.(key).catch(() => null);
    return openingPage(html, { kind, look: look ?? null, theme: query.get('theme') });
  };

  const answer = async (request: Request, url: URL): Promise<Response> => {
    switch (url.pathname) {
      case '/embed': {
        const key = url.searchParams.get('publishableKey');
        const [origins, body] = await Promise.all([
          key === null ? null : originsOf(key),
          pageOf('frame', url.searchParams),
        ]);
        // An origin that an earlier version accepted must not break the checkout of the others.
        const framedBy = (origins ?? []).filter(isSafeOrigin).map(exactOrigin);
        return new Response(body, { headers: pageHeaders({ ...source, framedBy }) });
      }
      case '/':
        return new Response(await pageOf('page', url.searchParams), {
          headers: { ...pageHeaders({ ...source, framedBy: [] }), 'cross-origin-opener-policy': 'same-origin' },
        });
      // The page that a bank redirects to. It keeps its opener, since the window that opened it watches it close.
      case '/return':
        return new Response(await pageOf('page', url.searchParams), {
          headers: pageHeaders({ ...source, framedBy: [] }),
        });
      case '/preview':
        return previewers.length === 0
          ? nothing()
          : new Response(preview, {
              headers: pageHeaders({ apiOrigin: null, frames: [], resolvesNames: false, framedBy: previewers }),
            });
      case '/resolve':
        return resolveName === undefined ? nothing() : resolved(resolveName, url.searchParams);
      default: {
        const file = assets.get(url.pathname);
        return file === undefined ? nothing() : assetAnswer(file, request);
      }
    }
  };

  return async (request) => {
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return plainAnswer(405, 'Only GET and HEAD are answered here.', { allow: 'GET, HEAD' });
    const answered = await answer(request, new URL(request.url));
    return request.method === 'GET' ? answered : new Response(null, answered);
  };
}

const nothing = (): Response => plainAnswer(404, 'Page not found.');

const NAME = /^[^\s:/]{1,200}\.[a-z]{2,20}$/i;
const NETWORK = /^[a-z0-9_-]{1,40}$/;

async function resolved(
  resolveName: NonNullable<WidgetOptions['resolveName']>,
  query: URLSearchParams,
): Promise<Response> {
  const [name, network] = [query.get('name') ?? '', query.get('network') ?? ''];
  if (!NAME.test(name) || !NETWORK.test(network)) return plainAnswer(400, 'Pass a name and a network.');
  return Response.json(
    { address: await resolveName(name, network) },
    { headers: { 'cache-control': 'no-store', ...NO_SNIFF } },
  );
}

/** Reduces a URL to its origin. It becomes part of a header and a page, and URL parsers accept `;`, `,` and `'` in host names. */
function exactOrigin(text: string): string {
  const { origin } = new URL(text);
  if (!SAFE_ORIGIN.test(origin)) throw new Error(`${text} has no origin that a page could be framed by or call.`);
  return origin;
}

const SAFE_ORIGIN = /^https?:\/\/[a-z0-9.[\]:-]+$/;

const isSafeOrigin = (text: string): boolean => URL.canParse(text) && SAFE_ORIGIN.test(new URL(text).origin);

/** Checks the address of the API and drops its trailing slash, since the page appends paths such as `/v1/embed/bootstrap`. */
function apiBase(text: string): string {
  const { pathname, search, hash, username, password } = new URL(text);
  const extra = `${search}${hash}${username}${password}`;
  if (extra !== '' || !PATH.test(pathname))
    throw new TypeError(
      `apiOrigin must be an origin, or an origin and the path of the API, such as https://api.example/sandbox; it is ${JSON.stringify(text)}.`,
    );
  return `${exactOrigin(text)}${pathname.replace(/(?<!\/)\/+$/, '')}`;
}

/** Characters that need no escaping in the page. */
const PATH = /^[\w./~%-]*$/;
