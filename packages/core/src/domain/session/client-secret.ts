/** Characters of the random part of a client secret (spec: Create response). */
export const CLIENT_SECRET_RANDOM_LENGTH = 32;

/** Enough to recognise a secret in a support case, too little to use it. */
const PREFIX_RANDOM_LENGTH = 4;

const CLIENT_SECRET = /^gsec_([0-9a-f]{24})_[0-9A-Za-z]{32}$/;

/** The text that opens the session in a browser: `gsec_`, the session's id, and 32 random characters. */
export function clientSecret(sessionId: string, random: string): string {
  return `gsec_${sessionId}_${random}`;
}

/** What may be shown of a client secret later. */
export function clientSecretPrefix(secret: string): string {
  return secret.slice(0, 'gsec_'.length + 24 + 1 + PREFIX_RANDOM_LENGTH);
}

/** The session a client secret claims to open, or null when it is not one. */
export function sessionIdOfClientSecret(secret: string): string | null {
  return CLIENT_SECRET.exec(secret)?.[1] ?? null;
}
