import type { Passkeys } from '../app/run.js';
import type { ApiResult } from '../wire/refusal.js';

/** The ceremonies of WebAuthn: the service makes the options and checks the answer, the browser asks the person. */
export const browserPasskeys: Passkeys = {
  use: async (ask, isReplacing) => {
    const asked = await ask({ method: 'POST', path: 'passkeys/options' });
    if (!asked.ok) return asked;
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(optionsOf(asked));
    const answer = await answerOf(navigator.credentials.get({ publicKey }));
    return answer === null
      ? null
      : ask({ method: 'POST', path: 'passkeys/session', body: { answer, replace: isReplacing } });
  },
  make: async (ask, code) => {
    const asked = await ask({ method: 'POST', path: 'passkeys/enrolment', body: { code } });
    if (!asked.ok) return asked;
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(optionsOf(asked));
    const answer = await answerOf(navigator.credentials.create({ publicKey }));
    return answer === null ? null : ask({ method: 'POST', path: 'passkeys', body: { code, answer } });
  },
  add: async (ask, call) => {
    const asked = await ask({ method: 'POST', path: 'me/passkeys/options' });
    if (!asked.ok) return asked;
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(optionsOf(asked));
    const answer = await answerOf(navigator.credentials.create({ publicKey }));
    return answer === null ? null : ask({ ...call, body: { ...call.body, answer } });
  },
};

type Asked = Extract<ApiResult<unknown>, { ok: true }>;

// The cast holds by the contract of the API, which names the JSON forms of WebAuthn.
const optionsOf = <Options>({ value }: Asked): Options => (value as { readonly options: Options }).options;

/** What the passkey answered; null if the person closed the question, or there is no passkey. */
async function answerOf(asked: Promise<Credential | null>): Promise<object | null> {
  const credential = await asked.catch(() => null);
  return credential instanceof PublicKeyCredential ? credential.toJSON() : null;
}
