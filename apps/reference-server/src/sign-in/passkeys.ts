import { isIP } from 'node:net';
import type { PasskeyCeremonies } from '@gateramp/console';
import { isOutage } from '@gateramp/core/ports';
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import type { Gate } from '../gate.js';
import type { SignedTexts } from './signed-text.js';

/** Where passkeys of a console are valid. */
export interface PasskeyPlace {
  /** The origin that browsers state in their answers. */
  readonly origin: string;
  /** The host name that passkeys are bound to. */
  readonly rpId: string;
}

/** Passkeys are bound to a host name, never to an address: on this machine `localhost`. Null if the origin has none. */
export function passkeyPlaceOf(origin: string): PasskeyPlace | null {
  const url = new URL(origin);
  const host = url.hostname.replaceAll(/^\[|\]$/g, '');
  if (host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))) url.hostname = 'localhost';
  else if (isIP(host) !== 0) return null;
  return { origin: url.origin, rpId: url.hostname };
}

const ANSWER_MS = 300_000;
const SIGN_IN = 'passkey/sign-in';

/**
 * The WebAuthn ceremonies. A passkey is found by itself, without a name that someone types, and its device verifies the user by PIN, face
 * or finger. A challenge is signed by this installation, so it needs no storage until it is answered, and opens one session.
 */
export function passkeyCeremonies({
  gate,
  place: { origin, rpId },
  texts,
  onRefused,
}: {
  readonly gate: Gate;
  readonly place: PasskeyPlace;
  readonly texts: SignedTexts;
  /** Why an answer was refused, for the log only: the response has no details. */
  readonly onRefused: (why: string) => void;
}): PasskeyCeremonies {
  const { passkeys, portalPasskeys } = gate.console;
  // Imported on demand: its parsers of certificates take a tenth of a second to load.
  const library = () => import('@simplewebauthn/server');
  const expected = { expectedOrigin: origin, expectedRPID: rpId, requireUserVerification: true };
  /** Browsers encode the bytes of a challenge again. */
  const isOurs = (purpose: string) => (challenge: string) =>
    texts.open(purpose, Buffer.from(challenge, 'base64url').toString()) !== null;
  const challengeFor = (purpose: string) => new Uint8Array(Buffer.from(texts.challenge(purpose, ANSWER_MS)));
  const enrolment = (code: string): string => `passkey/enrolment/${code}`;
  const addition = (accessId: string): string => `passkey/addition/${accessId}`;

  async function creationOptions(
    { id, name }: { readonly id: string; readonly name: string },
    purpose: string,
    known: readonly { readonly id: string }[] = [],
  ): Promise<object> {
    const { generateRegistrationOptions } = await library();
    return generateRegistrationOptions({
      rpName: 'Gateramp console',
      rpID: rpId,
      userName: name,
      userDisplayName: name,
      userID: new Uint8Array(Buffer.from(id)),
      challenge: challengeFor(purpose),
      timeout: ANSWER_MS,
      attestationType: 'none',
      // A device has one passkey for each access.
      excludeCredentials: known.map((one) => ({ id: one.id })),
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    });
  }

  /** The passkey that a browser made for a purpose; null if its answer does not prove it. */
  async function verified(purpose: string, given: unknown) {
    const answer = given as RegistrationResponseJSON;
    try {
      const { verifyRegistrationResponse } = await library();
      const { verified: isVerified, registrationInfo } = await verifyRegistrationResponse({
        ...expected,
        response: answer,
        expectedChallenge: isOurs(purpose),
      });
      if (!isVerified) throw new Error('The new passkey is not valid.');
      const { id, publicKey, counter, transports = [] } = registrationInfo.credential;
      const credential = { id, publicKey: Buffer.from(publicKey).toString('base64url'), counter, transports };
      return { credential, proof: `passkey/${challengeIn(answer)}` };
    } catch (error) {
      onRefused(textOf(error));
      return null;
    }
  }

  return {
    request: async () => {
      const { generateAuthenticationOptions } = await library();
      const challenge = challengeFor(SIGN_IN);
      const options = await generateAuthenticationOptions({ rpID: rpId, challenge, userVerification: 'required' });
      return { ...options, timeout: ANSWER_MS };
    },
    identify: async (given) => {
      const answer = given as Partial<AuthenticationResponseJSON>;
      const handle = answer.response?.userHandle;
      const id = typeof handle === 'string' ? Buffer.from(handle, 'base64url').toString() : '';
      const isId = ID.test(id);
      const passkey = isId ? await passkeys.find(id) : null;
      const user = isId && passkey === null ? await portalPasskeys.find(id) : null;
      const credential = [passkey?.credential, ...(user?.credentials ?? [])].find((one) => one?.id === answer.id);
      if (credential === null || credential === undefined) {
        onRefused('The passkey is unknown, or was removed.');
        return null;
      }
      const { publicKey, counter } = credential;
      const proofOf = () => `passkey/${challengeIn(answer)}`;
      try {
        const { verifyAuthenticationResponse } = await library();
        const { verified, authenticationInfo } = await verifyAuthenticationResponse({
          ...expected,
          response: answer as AuthenticationResponseJSON,
          expectedChallenge: isOurs(SIGN_IN),
          credential: { id: credential.id, publicKey: new Uint8Array(Buffer.from(publicKey, 'base64url')), counter },
        });
        if (!verified) throw new Error('The signature is not that of the passkey.');
        const { newCounter } = authenticationInfo;
        // The console records its use together with the session.
        if (passkey === null)
          return { accessId: id, credentialId: credential.id, counter: newCounter, proof: proofOf() };
        if ((await passkeys.use(passkey.id, newCounter)) === null)
          throw new Error('The counter has not increased, or the passkey was removed.');
      } catch (error) {
        onRefused(textOf(error));
        return null;
      }
      return {
        actor: passkey.actor,
        role: passkey.role,
        proof: proofOf(),
        reason: `Signed in with passkey ${passkey.id}`,
      };
    },
    creation: async (code) => {
      const invited = await passkeys.invited(code);
      if (invited === null) return null;
      return creationOptions({ id: invited.id, name: invited.actor }, enrolment(code));
    },
    register: async (code, given) => {
      const made = await verified(enrolment(code), given);
      return made !== null && (await passkeys.register(code, made.credential)) !== null;
    },
    portalCreation: async ({ accessId: id, name }) => {
      const user = await portalPasskeys.find(id);
      return creationOptions({ id, name }, addition(id), user?.credentials);
    },
    portalPasskey: ({ accessId }, given) => verified(addition(accessId), given),
  };
}

const ID = /^[0-9a-f]{24}$/;

/** As signed by the device: checked by then. */
function challengeIn({ response }: { readonly response?: { readonly clientDataJSON: string } }): string {
  const data: unknown = JSON.parse(Buffer.from(response?.clientDataJSON ?? '', 'base64url').toString());
  return String((data as { challenge?: unknown }).challenge);
}

function textOf(error: unknown): string {
  // An outage of the store is not a refusal.
  if (isOutage(error)) throw error;
  return error instanceof Error ? error.message : String(error);
}
