import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { decodeJwt, SignJWT } from 'jose';
import { Provider, type JWK } from 'oidc-provider';
import { type Listening, listening } from './console-server.js';

export const CLIENT_ID = 'console';
export const CLIENT_SECRET = 'correct-horse-battery-staple';

interface Person {
  readonly sub: string;
  readonly [claim: string]: unknown;
}

/** What a test changes in the ID token; a new signature is that of the provider, unless `key` is another one. */
interface Tampering {
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly key?: KeyObject;
}

export interface TestProvider {
  readonly issuer: string;
  /** Who is signed in at the provider. */
  person: Person;
  tampering: Tampering | null;
  /** The answers of the token endpoint. */
  readonly tokens: string[];
  close(): Promise<void>;
}

const KEY = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;

/** `oidc-provider` for one client, whose people have signed in and consented before. It may tamper with what it answers. */
export async function testProvider(
  consoleOrigin: string,
  { at, inIdToken = false, issuer }: { readonly at: Listening; readonly inIdToken?: boolean; readonly issuer?: string },
): Promise<TestProvider> {
  const provider = new Provider(issuer ?? at.origin, {
    clients: [
      {
        client_id: CLIENT_ID,
        client_secret: CLIENT_SECRET,
        redirect_uris: [`${consoleOrigin}/auth/oidc/callback`],
        post_logout_redirect_uris: [`${consoleOrigin}/`],
      },
    ],
    jwks: { keys: [{ ...(KEY.export({ format: 'jwk' }) as JWK), kid: 'test', alg: 'RS256', use: 'sig' }] },
    claims: {
      openid: ['sub', 'gateramp_roles', 'gateramp_partners', 'realm_access'],
      email: ['email', 'email_verified'],
    },
    conformIdTokenClaims: !inIdToken,
    cookies: { keys: ['test'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ ...running.person, sub: id }) }),
    loadExistingGrant: async ({ oidc }) => {
      const grant = new oidc.provider.Grant({
        clientId: oidc.client?.clientId ?? '',
        accountId: oidc.session?.accountId ?? '',
      });
      grant.addOIDCScope('openid email profile');
      await grant.save();
      return grant;
    },
    ttl: { AccessToken: 600, AuthorizationCode: 60, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
  });
  provider.on('server_error', (_, error) => {
    throw error;
  });
  const handle = provider.callback();
  const running: TestProvider = {
    issuer: issuer ?? at.origin,
    person: { sub: 'u-1' },
    tampering: null,
    tokens: [],
    close: at.close,
  };
  at.serve((request, response) => {
    if (request.url?.startsWith('/interaction/') === true) return void login(provider, running, request, response);
    if (request.url === '/token') changeAnswer(running, response);
    void handle(request, response);
  });
  return running;
}

async function login(provider: Provider, { person }: TestProvider, request: IncomingMessage, response: ServerResponse) {
  const result =
    person['denies'] === true ? { error: 'access_denied' } : { login: { accountId: person.sub, remember: false } };
  await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
}

function changeAnswer(running: TestProvider, response: ServerResponse): void {
  const end = response.end.bind(response);
  const changed = async (body: string): Promise<string> => {
    const { tampering } = running;
    const answer = JSON.parse(body) as { id_token?: string; access_token?: string };
    running.tokens.push(...[answer.id_token, answer.access_token].filter((one) => one !== undefined));
    if (tampering === null || answer.id_token === undefined) return body;
    const id_token = await new SignJWT({ ...decodeJwt(answer.id_token), ...tampering.claims })
      .setProtectedHeader({ alg: 'RS256', kid: 'test' })
      .sign(tampering.key ?? KEY);
    return JSON.stringify({ ...answer, id_token });
  };
  response.end = ((body: unknown) => {
    void changed(String(body)).then((text) => {
      response.setHeader('content-length', Buffer.byteLength(text));
      end(text);
    });
    return response;
  }) as typeof response.end;
}

export { listening };
