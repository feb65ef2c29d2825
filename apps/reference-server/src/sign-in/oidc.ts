import { type IdentifiedOperator, ROLES } from '@gateramp/console';
import type * as Client from 'openid-client';
import { PAGE_HEADERS, signInPage } from './sign-in-page.js';
import type { SignedTexts } from './signed-text.js';

/** The settings `GATE_OIDC_…`. */
export interface OidcConfig {
  readonly issuer: string;
  readonly clientId: string;
  /** Null for a public client, which has only the proof of PKCE. */
  readonly clientSecret: string | null;
  /** The claim that contains the roles of a person; with dots, a path. */
  readonly rolesClaim: string;
  /** The claim that contains the ids of the partners that a person sees, or `*` for all; null: everyone sees all. */
  readonly partnersClaim: string | null;
  readonly scopes: string;
}

interface OidcParts {
  readonly config: OidcConfig;
  /** The console's origin. */
  readonly origin: string;
  readonly texts: SignedTexts;
  readonly now: () => number;
  /** Opens a session. Returns its `Set-Cookie` header; null if the proof was used. */
  readonly signIn: (operator: IdentifiedOperator) => Promise<string | null>;
  /** Records a refusal in the audit trail; `actor` is the person, if the provider has signed who it is. */
  readonly onRefused: (reason: string, actor?: string) => void;
  readonly log: (level: 'info' | 'warn', fields: Readonly<Record<string, string>>, text: string) => void;
}

export interface OidcDoor {
  /** Reads the provider's metadata, and reports whether that works. Never rejects. */
  readonly check: () => Promise<boolean>;
  /** Where a browser signs out at the provider; null if the provider has no such page, or is not known yet. */
  readonly signOutPath: () => string | null;
  /** Answers the requests below `/auth/oidc/`. */
  readonly answer: (request: Request) => Promise<Response>;
}

export const OIDC_START = '/auth/oidc/start';
const OIDC_END = '/auth/oidc/end';
const AGAIN = '?again';
const CALLBACK = '/auth/oidc/callback';

const SIGN_IN_MS = 600_000;
const PROVIDER_TIMEOUT_S = 10;
const RETRY_AFTER_MS = 2_000;
const PURPOSE = 'oidc';

/** What a browser keeps of its own sign-in, signed, in a cookie. */
interface Begun {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/**
 * Sign-in by OpenID Connect: authorization code with PKCE, a state and a nonce. The door is closed until the provider's metadata can be
 * read, and nothing else depends on it. Every redirect goes to the provider or to the console, never to an address of a request.
 */
export function oidcDoor({ config, origin, texts, now, signIn, onRefused, log }: OidcParts): OidcDoor {
  const isSecure = origin.startsWith('https:');
  const name = isSecure ? '__Host-gate_sign_in' : 'gate_sign_in';
  // Lax: the provider's site sends the browser back, and the cookie must come along.
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  const forgotten = `${name}=; Max-Age=0; ${attributes}`;
  const cookieOf = (request: Request): string =>
    (request.headers.get('cookie') ?? '')
      .split(';')
      .map((part) => part.trim())
      .find((part) => part.startsWith(`${name}=`))
      ?.slice(name.length + 1) ?? '';

  // Imported on demand, by servers with a provider alone.
  const library = () => import('openid-client');
  let found: Promise<Client.Configuration> | null = null;
  let failedAt = -Infinity;
  let canSignOut = false;
  const provider = (): Promise<Client.Configuration> => {
    if (found === null && now() < failedAt + RETRY_AFTER_MS)
      return Promise.reject(new Error('The provider did not answer.'));
    found ??= library()
      .then(async (client) => {
        const at = await discover(client, config);
        canSignOut = at.serverMetadata().end_session_endpoint !== undefined;
        return at;
      })
      .catch((error: unknown) => {
        found = null;
        failedAt = now();
        const why = reasonOf(error);
        log(
          'warn',
          { issuer: config.issuer, why },
          'The provider of GATE_OIDC_ISSUER cannot be used; single sign-on is unavailable until it can',
        );
        throw error;
      });
    return found;
  };

  const refuse = (status: number, text: string): Response => signInPage(status, text, { 'set-cookie': forgotten });
  const unavailable = (): Response =>
    refuse(503, 'Single sign-on is unavailable at the moment. Try again, or ask the operator of this server.');

  async function start(): Promise<Response> {
    const at = await provider().catch(() => null);
    if (at === null) return unavailable();
    const client = await library();
    const begun: Begun = {
      state: client.randomState(),
      nonce: client.randomNonce(),
      verifier: client.randomPKCECodeVerifier(),
    };
    const url = client.buildAuthorizationUrl(at, {
      redirect_uri: `${origin}${CALLBACK}`,
      scope: config.scopes,
      state: begun.state,
      nonce: begun.nonce,
      code_challenge: await client.calculatePKCECodeChallenge(begun.verifier),
      code_challenge_method: 'S256',
    });
    const cookie = texts.sign(PURPOSE, JSON.stringify(begun), SIGN_IN_MS);
    return redirect(url.href, [`${name}=${cookie}; Max-Age=${SIGN_IN_MS / 1_000}; ${attributes}`]);
  }

  async function callback(request: Request): Promise<Response> {
    const kept = texts.open(PURPOSE, cookieOf(request));
    if (kept === null) {
      onRefused('The sign-in has expired, or began in another browser');
      return refuse(400, 'This sign-in has expired, or began in another browser. Start again.');
    }
    // Signed by this installation.
    const begun = JSON.parse(kept) as Begun;
    const at = await provider().catch(() => null);
    if (at === null) return unavailable();
    const client = await library();
    let claims: Claims;
    try {
      claims = await claimsOf(client, at, new URL(new URL(request.url).search, `${origin}${CALLBACK}`), begun, config);
    } catch (error) {
      const why = reasonOf(error);
      log('warn', { issuer: config.issuer, why }, 'Single sign-on refused');
      if (isUnreachable(error)) return unavailable();
      onRefused(printable(`The answer of the provider was not accepted: ${why}`));
      return refuse(401, `The provider's answer was not accepted (${why}). Start again.`);
    }
    const { sub } = claims;
    const actor = actorOf(claims);
    const role = ROLES.findLast((one) => rolesIn(claims, config.rolesClaim).includes(one));
    if (role === undefined) {
      log('warn', { issuer: config.issuer, sub }, 'Single sign-on refused: the user has no role in the console');
      onRefused(`The claim "${config.rolesClaim}" contains no role of the console`, actor);
      return refuse(
        403,
        `You have no role in this console. The claim "${config.rolesClaim}" must contain one of: ${ROLES.join(', ')}.`,
      );
    }
    const partners = partnersIn(claims, config.partnersClaim);
    if (partners?.length === 0) {
      log('warn', { issuer: config.issuer, sub }, 'Single sign-on refused: the user has no access to any partner');
      onRefused(`The claim "${config.partnersClaim}" contains no partner`, actor);
      return refuse(
        403,
        `You have no access to any partner in this console. The claim "${config.partnersClaim}" must contain ids of partners, or "*" for all.`,
      );
    }
    const reason = printable(`Signed in at ${new URL(config.issuer).host} as ${sub}`);
    const proof = `oidc/${config.issuer}/${begun.state}`;
    // Names change hands at a provider; a subject does not.
    const subject = `oidc/${config.issuer}/${sub}`;
    const cookie = await signIn({ actor, role, partners, proof, subject, reason });
    if (cookie === null) {
      onRefused('The sign-in was used before', actor);
      return refuse(401, 'This sign-in was used before. Start again.');
    }
    return redirect('/', [cookie, forgotten]);
  }

  /** Without the ID token as a hint, which is not stored, the provider asks the person. */
  async function end(): Promise<Response> {
    const at = await provider().catch(() => null);
    if (at === null) return unavailable();
    if (!canSignOut) return redirect('/', []);
    const client = await library();
    return redirect(client.buildEndSessionUrl(at, { post_logout_redirect_uri: `${origin}/` }).href, []);
  }

  return {
    signOutPath: () => (canSignOut ? OIDC_END : null),
    check: () =>
      provider().then(
        () => true,
        () => false,
      ),
    answer: async (request) => {
      if (request.method !== 'GET') return signInPage(405, 'Use the method GET.', { allow: 'GET' });
      const { pathname, search } = new URL(request.url);
      if (pathname === CALLBACK) return callback(request);
      if (pathname === OIDC_END) return end();
      if (pathname !== OIDC_START) return signInPage(404, 'Page not found.');
      // The browser must keep the cookie for the host that the provider sends it back to. Once: a proxy may change the name.
      const isElsewhere = search !== AGAIN && request.headers.get('host') !== new URL(origin).host;
      return isElsewhere ? redirect(`${origin}${OIDC_START}${AGAIN}`, []) : start();
    },
  };
}

function redirect(location: string, cookies: readonly string[]): Response {
  const headers = new Headers({ ...PAGE_HEADERS, location });
  for (const cookie of cookies) headers.append('set-cookie', cookie);
  return new Response(null, { status: 303, headers });
}

async function discover(
  client: typeof Client,
  { issuer, clientId, clientSecret }: OidcConfig,
): Promise<Client.Configuration> {
  const url = new URL(issuer);
  const at = await client.discovery(url, clientId, undefined, clientAuth(client, clientSecret), {
    timeout: PROVIDER_TIMEOUT_S,
    // Settings allow http for loopback addresses only.
    execute: url.protocol === 'http:' ? [client.allowInsecureRequests] : [],
  });
  const { authorization_endpoint: authorize, token_endpoint: token, jwks_uri: keys } = at.serverMetadata();
  if (authorize === undefined || token === undefined || keys === undefined)
    throw new Error('The metadata of the provider lack an authorization_endpoint, token_endpoint or jwks_uri.');
  // Also behind a proxy that ends TLS, the signature of a token is that of the provider.
  client.enableNonRepudiationChecks(at);
  return at;
}

/** By the method that the provider supports; basic unless it says otherwise. */
function clientAuth(client: typeof Client, secret: string | null): Client.ClientAuth {
  if (secret === null) return client.None();
  const [basic, post] = [client.ClientSecretBasic(secret), client.ClientSecretPost(secret)];
  return (server, ...rest) => {
    const supported = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    return (supported.includes('client_secret_basic') ? basic : post)(server, ...rest);
  };
}

type Claims = Readonly<Record<string, unknown>> & { readonly sub: string };

async function claimsOf(
  client: typeof Client,
  at: Client.Configuration,
  url: URL,
  { state, nonce, verifier }: Begun,
  { rolesClaim, partnersClaim }: OidcConfig,
): Promise<Claims> {
  const tokens = await client.authorizationCodeGrant(at, url, {
    expectedState: state,
    expectedNonce: nonce,
    pkceCodeVerifier: verifier,
    idTokenExpected: true,
  });
  const claims = tokens.claims();
  if (claims === undefined) throw new Error('no id_token');
  // The type says so, but a provider may send anything.
  const { sub } = claims as { readonly sub?: unknown };
  if (typeof sub !== 'string' || sub.trim() === '') throw new Error('the id_token has no subject');
  // Many providers keep the token small and tell the rest here.
  const wanted = ['email', rolesClaim, ...(partnersClaim === null ? [] : [partnersClaim])];
  const isComplete = wanted.every((name) => valueAt(claims, name) !== undefined);
  if (isComplete || at.serverMetadata().userinfo_endpoint === undefined) return claims;
  return { ...(await client.fetchUserInfo(at, tokens.access_token, claims.sub)), ...claims };
}

/** The claim of this name; else the value at a path such as `realm_access.roles`. */
function valueAt(claims: object, name: string): unknown {
  if (Object.hasOwn(claims, name)) return (claims as Record<string, unknown>)[name];
  return name
    .split('.')
    .reduce<unknown>(
      (value, part) =>
        typeof value === 'object' && value !== null && Object.hasOwn(value, part)
          ? (value as Record<string, unknown>)[part]
          : undefined,
      claims,
    );
}

function rolesIn(claims: Claims, name: string): readonly unknown[] {
  const value = valueAt(claims, name);
  return Array.isArray(value) ? value : [value];
}

const ALL_PARTNERS = '*';

/** Null for all. A claim of another shape lets a person see none. */
function partnersIn(claims: Claims, name: string | null): readonly string[] | null {
  if (name === null) return null;
  const value = valueAt(claims, name);
  const ids = (Array.isArray(value) ? value : [value]).filter((one) => typeof one === 'string' && one !== '');
  return ids.includes(ALL_PARTNERS) ? null : ids;
}

const TEXT_MAX = 200;

/** A verified address names a person to others; an unverified one may be anyone's, so it is not shown as theirs. */
function actorOf({ sub, email, email_verified: isVerified }: Claims): string {
  const name = typeof email === 'string' && isVerified === true ? email : sub;
  return printable(name);
}

function printable(text: string): string {
  return text
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, '')
    .slice(0, TEXT_MAX)
    .trim();
}

function isUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? String(error.code) : '';
  return code === 'OAUTH_TIMEOUT' || (error instanceof TypeError && error.message === 'fetch failed');
}

/** In words that contain nothing secret: codes of the library and of the protocol, never the provider's answer itself. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error';
  const cause = error.cause instanceof Error && 'code' in error.cause ? String(error.cause.code) : null;
  if (isUnreachable(error)) return cause ?? 'no answer in time';
  // A refused client secret is in a challenge of the answer's header.
  const challenged = valueAt(error, 'cause.0.parameters.error');
  for (const value of [challenged, valueAt(error, 'error'), valueAt(error, 'code')])
    if (typeof value === 'string' && /^\w{1,60}$/.test(value)) return value;
  return error.message.slice(0, 200);
}
