import { isOriginText } from '@gateramp/core/domain';
import type { Gate } from './gate.js';
import { assetAnswer, plainAnswer } from '../../../../design/page-files.js';
import type { ConsoleAlarms } from './alarms-port.js';
import { consoleApiHandler } from './dispatch.js';
import type { ConsoleRateLimits } from './console-limits.js';
import { cookieKind } from './cookie.js';
import { inLongTime, inTime, limitedCalls } from './host-calls.js';
import type { ConsoleLegs } from './legs-port.js';
import { pageHeaders } from './page-headers.js';
import { readPageFiles } from './page-files.js';
import { newRequestId } from './request-id.js';
import type { Doors, PasskeyCeremonies } from './sign-in.js';
import type { Authorize } from './visitor.js';

/**
 * The options of `consoleHandler`. A request is answered 503 if one of the host's functions takes more than 5 s; `legs`, `alarms` and
 * `auth` have 30 s.
 */
export interface ConsoleOptions {
  /** With the extensions `consoleAccess()`, `inspection()` and `sandbox()` of `@gateramp/extensions`. */
  readonly gate: Gate;
  /**
   * Returns who the sender of a request is: an operator with roles and partners, or null. The operators' door, which is required: without
   * operators it is `() => null`. It must not trust anything that a browser adds to cross-site requests without its own check.
   */
  readonly authorize: Authorize;
  /** The console's origin, as browsers reach it: https, or http on a loopback address. */
  readonly origin: string;
  /** The ways in which people sign in, which the page offers; none by default. */
  readonly doors?: () => Doors | Promise<Doors>;
  /**
   * Lets operators and users of partners sign in with passkeys, below `/console/v1/passkeys`. Users of partners add theirs below
   * `/console/v1/me/passkeys`, and keep their access until it is ended. Without this option these endpoints answer 501.
   */
  readonly passkeys?: PasskeyCeremonies | null;
  /** Wallets and operations of provider legs, for operators; without it these endpoints answer 501. */
  readonly legs?: ConsoleLegs | null;
  /** The present state of the host's alarms, for operators of all partners; without it `/console/v1/alarms` answers 501. */
  readonly alarms?: ConsoleAlarms | null;
  /** Answers requests below `/auth/` on the console's origin, such as the redirects of single sign-on. */
  readonly auth?: (request: Request) => Promise<Response>;
  /** What a visitor without a session can do, for the message of the 401. */
  readonly howToEnter?: string;
  /**
   * The origin of a checkout whose `widgetHandler` lists this console in `previewedBy`. The page uses it to preview a branding before it
   * is saved.
   */
  readonly checkoutOrigin?: string | null;
  /** Origins that may show the console in a frame; none by default. */
  readonly framedBy?: readonly string[];
  /**
   * Limits requests and changes of each session and each address, and sign-ins of each address: 429 `rate_limit_exceeded`, with
   * `Retry-After`. Without it nothing is limited; share the port of the gate.
   */
  readonly rateLimits?: ConsoleRateLimits | null;
  /** Called with failures that were answered with 500 or 503, and the request's id. */
  readonly onError?: (error: unknown, requestId: string) => void;
}

/** Answers every request to the console's origin. Never rejects. Without `clientIp`, all requests count as those of one address. */
export type ConsoleHandler = (request: Request, clientIp?: string) => Promise<Response>;

/**
 * Serves the console under any framework: `/console/v1` and the page. It needs an origin of its own. Throws a `TypeError` without
 * `authorize` or the gate's extensions, or if the origin is not safe for a session cookie.
 */
export function consoleHandler(options: ConsoleOptions): ConsoleHandler {
  const { gate, authorize, doors = () => NO_DOORS, howToEnter = HOW_TO_ENTER, framedBy = [] } = options;
  const { onError = () => undefined, passkeys = null, legs = null, alarms = null, auth } = options;
  const { checkoutOrigin = null, rateLimits = null } = options;
  const checkout = checkoutOrigin === null ? null : withoutPath('checkoutOrigin', new URL(checkoutOrigin)).origin;
  if (!('console' in gate && 'overview' in gate.admin && 'testClock' in gate))
    throw new TypeError(
      'consoleHandler needs a gate with the extensions consoleAccess(), inspection() and sandbox() of @gateramp/extensions: createGate({ extensions: [consoleAccess(), inspection(), sandbox()], … }).',
    );
  if (typeof authorize !== 'function')
    throw new TypeError(
      'consoleHandler needs authorize: a function of the request that returns { actor, roles, partners }, or null. To let no operator in, pass () => null.',
    );
  const origin = consoleOrigin(options.origin);
  const frames = framedBy.map((one) => withoutPath('framedBy', new URL(one)).origin);
  const api = consoleApiHandler({
    gate,
    authorize,
    doors: () => inTime('doors', doors),
    passkeys: passkeys && limitedCalls('passkeys', passkeys, inTime),
    checkoutPreview: checkout === null ? null : `${checkout}/preview`,
    legs: legs && limitedCalls('legs', legs, inLongTime),
    alarms: alarms && (() => inLongTime('alarms', alarms)),
    howToEnter,
    origin,
    cookie: cookieKind(origin, frames.length > 0),
    rateLimits,
    onError,
  });
  const files = readPageFiles();
  return async (request, clientIp = '') => {
    const url = new URL(request.url);
    if (url.pathname.startsWith('/console/v1/')) return api(request, url, clientIp);
    if (auth !== undefined && url.pathname.startsWith('/auth/'))
      return inLongTime('auth', () => auth(request)).catch((error: unknown) => {
        onError(error, newRequestId());
        return plainAnswer(503, 'The sign-in is temporarily unavailable. Try again.');
      });
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return plainAnswer(405, 'Only GET and HEAD are answered here.', { allow: 'GET, HEAD' });
    const answered = pageAnswer(url.pathname, files, pageHeaders({ framedBy: frames, frames: checkout }), request);
    return request.method === 'GET' ? answered : new Response(null, answered);
  };
}

const NO_DOORS: Doors = { oidc: null, passkey: false };
const HOW_TO_ENTER = 'Sign in: open a link to the console, or use the operators’ door of this installation.';

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Without TLS everyone on the way could read the cookie. */
function consoleOrigin(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || (url.protocol !== 'https:' && !(url.protocol === 'http:' && LOOPBACK.test(url.hostname))))
    throw new TypeError(
      `origin must be an https address, or http on a loopback address; it is ${JSON.stringify(text)}.`,
    );
  return withoutPath('origin', url);
}

/** The console and the checkout are served at the root of their origins, which become parts of security headers. */
function withoutPath(option: string, url: URL): URL {
  if (url.pathname === '/' && url.search === '' && url.hash === '' && isOriginText(url.origin)) return url;
  throw new TypeError(
    `${option} must be an origin without a path, such as ${url.origin}; it is ${JSON.stringify(url.href)}.`,
  );
}

function pageAnswer(
  path: string,
  files: ReturnType<typeof readPageFiles>,
  headers: Readonly<Record<string, string>>,
  request: Request,
): Response {
  if (path === '/') {
    if (files === null)
      return plainAnswer(
        503,
        'The page of the console is not built. Run: npm run build:js. The API below /console/v1 works.',
      );
    return new Response(files.page, { headers });
  }
  const file = files?.assets.get(path);
  return file === undefined ? plainAnswer(404, 'Page not found.') : assetAnswer(file, request);
}
