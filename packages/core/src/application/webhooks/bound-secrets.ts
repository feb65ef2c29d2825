import type { WebhookEndpoint } from '../../domain/partner/partner.js';
import type { Crypto } from '../../ports/crypto.js';

/**
 * The endpoint with every secret sealed for it alone: in another partner's row, or in that of the other mode, it does not open.
 * Those sealed by earlier versions were not bound.
 */
export function withBoundSecrets(
  crypto: Pick<Crypto, 'openSecret' | 'sealSecret'>,
  endpoint: WebhookEndpoint,
): WebhookEndpoint {
  const secrets = endpoint.secrets.map((secret) => ({
    ...secret,
    sealed: crypto.sealSecret(crypto.openSecret(secret.sealed, endpoint), endpoint),
  }));
  return { ...endpoint, secrets };
}
