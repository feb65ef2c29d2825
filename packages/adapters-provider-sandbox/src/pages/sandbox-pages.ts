import { type Instant, isOriginText, type Mode } from '@gateramp/core/domain';
import { changeOperation } from '../change-operation.js';
import type { SandboxLedger } from '../ledger.js';
import { answerThere, type SandboxOperation } from '../operation.js';
import { COMPONENT_SCRIPT, componentPage, messagePage, questionPage, STYLE } from './markup.js';
import { PATHS, type Pages } from './pages.js';

/** The settings of the pages. */
export interface SandboxPagesOptions {
  /** The time of the gate's clock in a mode. */
  readonly now: (mode: Mode) => Instant;
  /** The origins of the checkout. Only these may open the component. */
  readonly framedBy: readonly string[];
}

interface World extends SandboxPagesOptions {
  readonly pages: Pages;
  readonly ledger: SandboxLedger;
}

type Decision = 'approve' | 'decline';

/** Serves the issuer's page and the test wallet over Fetch. The buyer's decision is recorded in the sandbox's ledger. */
export function sandboxPages(world: World): (request: Request) => Promise<Response> {
  return async (request) => {
    const { pathname } = new URL(request.url);
    const isPost = request.method === 'POST';
    if (!isPost && request.method !== 'GET' && request.method !== 'HEAD') return text(405, 'Use GET or POST.');
    if (pathname.startsWith(PATHS.authenticate)) {
      const mark = pathname.slice(PATHS.authenticate.length);
      return isPost ? decide(world, mark, request) : ask(world, mark);
    }
    if (pathname === PATHS.component) return isPost ? decideInFrame(world, request) : component(world);
    if (pathname === PATHS.script) return file('text/javascript', COMPONENT_SCRIPT);
    if (pathname === PATHS.style) return file('text/css', STYLE);
    return text(404, 'There is no such page.');
  };
}

/** The issuer's question. It is never shown in a frame, to prevent clickjacking. */
async function ask(world: World, mark: string): Promise<Response> {
  const operation = await operationOf(world, mark);
  if (operation === null || !isAwaited(operation, 'redirect'))
    return page(404, messagePage('This payment cannot be approved any more.'), ["frame-ancestors 'none'"]);
  const { price, returnUrl } = operation.plan ?? {};
  const shown = `${price?.sourceTotal ?? ''} ${price?.source.currency ?? ''}`;
  // Browsers also apply `form-action` to the redirect that answers a form.
  const origin = returnUrl ? new URL(returnUrl).origin : '';
  const targets = ["'self'", ...(isOriginText(origin) ? [origin] : [])].join(' ');
  return page(200, questionPage(shown), ["frame-ancestors 'none'", `form-action ${targets}`]);
}

async function decide(world: World, mark: string, request: Request): Promise<Response> {
  const decision = decisionOf(new URLSearchParams(await request.text()).get('decision'));
  const operation = await operationOf(world, mark);
  if (operation === null || decision === null) return text(400, 'The decision is not valid.');
  const { plan } = await enter(world, operation, decision);
  if (!plan?.returnUrl) return page(200, messagePage('Done. You can close this page.'), ["frame-ancestors 'none'"]);
  return new Response(null, { status: 303, headers: { location: plan.returnUrl, 'cache-control': 'no-store' } });
}

/** The shop around the checkout also frames it, so it cannot be protected by a header: it does nothing until a checkout has opened it. */
function component({ framedBy }: World): Response {
  return page(200, componentPage(framedBy), ["script-src 'self'", "connect-src 'self'"]);
}

async function decideInFrame(world: World, request: Request): Promise<Response> {
  const body = new URLSearchParams(await request.text());
  const decision = decisionOf(body.get('decision'));
  const operation = await operationOf(world, body.get('client_secret') ?? '');
  if (operation === null || decision === null) return text(400, 'The client secret is not valid.');
  await enter(world, operation, decision);
  return new Response(null, { status: 204 });
}

async function operationOf({ pages, ledger }: World, mark: string): Promise<SandboxOperation | null> {
  const operationId = pages.operationOf(mark);
  return operationId === null ? null : ledger.read(operationId);
}

function isAwaited({ state }: SandboxOperation, type: 'redirect' | 'provider_component'): boolean {
  return state.step === 'awaiting' && state.action.type === type;
}

function enter({ ledger, pages, now }: World, operation: SandboxOperation, decision: Decision) {
  return changeOperation(ledger, operation.operationId, (stored) => {
    const known = stored ?? operation;
    // The partner's sandbox may be ahead of its mode; time in the ledger never goes backwards.
    return answerThere(known, decision, pages, Math.max(now(known.mode), known.updatedAt));
  });
}

function decisionOf(value: string | null): Decision | null {
  return value === 'approve' || value === 'decline' ? value : null;
}

function page(status: number, body: string, policy: readonly string[]): Response {
  return new Response(body, {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': [
        "default-src 'none'",
        "style-src 'self'",
        'img-src data:',
        "base-uri 'none'",
        ...policy,
      ].join('; '),
      'cache-control': 'no-store',
      // The address authorizes decisions for the buyer.
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    },
  });
}

function file(type: string, body: string): Response {
  return new Response(body, {
    headers: { 'content-type': `${type}; charset=utf-8`, 'x-content-type-options': 'nosniff' },
  });
}

function text(status: number, message: string): Response {
  return new Response(`${message}\n`, { status, headers: { 'content-type': 'text/plain; charset=utf-8' } });
}
