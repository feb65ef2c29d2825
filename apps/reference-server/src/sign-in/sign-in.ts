import { type ConsoleOptions, recordRefusedSignIn, signInOperator } from '@gateramp/console';
import type { Gate } from '../gate.js';
import { OIDC_START, oidcDoor, type OidcConfig } from './oidc.js';
import { passkeyCeremonies, passkeyPlaceOf } from './passkeys.js';
import { signedTexts } from './signed-text.js';
import { signInPage } from './sign-in-page.js';

interface SignInParts {
  readonly gate: Gate;
  /** The console's origin. */
  readonly origin: string;
  readonly oidc: OidcConfig | null;
  /** Known only to the processes of this installation. */
  readonly key: string;
  /** Whether the server prints a one-time link for the operator of this machine. */
  readonly isLocal: boolean;
  /** Whether the `gate` command reaches the data of this server, and makes links. */
  readonly hasCommand: boolean;
  readonly log: (level: 'info' | 'warn', fields: Readonly<Record<string, string>>, text: string) => void;
  readonly onError: (error: unknown) => void;
}

/** The doors of this server: single sign-on of operators, and passkeys, as options of the console. */
export function operatorsDoor({
  gate,
  origin,
  oidc,
  key,
  isLocal,
  hasCommand,
  log,
  onError,
}: SignInParts): Required<Pick<ConsoleOptions, 'doors' | 'howToEnter' | 'passkeys' | 'auth'>> {
  const now = (): number => gate.clock.now('live');
  const texts = signedTexts(key, now);
  const place = passkeyPlaceOf(origin);
  const passkeys =
    place === null
      ? null
      : passkeyCeremonies({
          gate,
          place,
          texts,
          onRefused: (why) => log('warn', { why }, 'Passkey refused'),
        });
  const door =
    oidc === null
      ? null
      : oidcDoor({
          config: oidc,
          origin,
          texts,
          now,
          log,
          signIn: (operator) => signInOperator({ gate, origin }, operator),
          onRefused: (reason, actor) =>
            recordRefusedSignIn(gate, { method: 'oidc', reason, ...(actor !== undefined && { actor }) }),
        });
  void door?.check();
  const hasPasskeys = async (): Promise<boolean> =>
    passkeys !== null &&
    ((await gate.console.portalPasskeys.exist()) ||
      (await gate.console.passkeys.list()).some(({ state }) => state === 'active'));
  return {
    doors: async () => ({
      oidc: door === null ? null : { url: OIDC_START, sign_out_url: door.signOutPath() },
      passkey: await hasPasskeys(),
      ...(hasCommand ? { links: 'command' as const } : isLocal ? { links: 'start' as const } : {}),
    }),
    howToEnter: howToEnter(isLocal, door !== null),
    passkeys,
    auth: async (request) => {
      if (door === null || !new URL(request.url).pathname.startsWith('/auth/oidc/'))
        return signInPage(404, 'Page not found.');
      return door.answer(request).catch((error: unknown) => {
        onError(error);
        return signInPage(503, 'You cannot be signed in at the moment. Try again.');
      });
    },
  };
}

function howToEnter(isLocal: boolean, hasOidc: boolean): string {
  if (hasOidc) return `Sign in at ${OIDC_START}, with a passkey, or with an invitation link.`;
  if (isLocal) return 'Open the one-time link that the server prints when it starts, or an invitation link.';
  return 'Sign in with a passkey, or with an invitation link. Operators without a passkey: register one with "gate console enroll --user NAME --role admin", or set up single sign-on with GATE_OIDC_ISSUER.';
}
