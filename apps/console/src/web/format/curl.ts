import type { Delivery } from '../wire/types.js';

/** A command that sends the webhook again by hand. The signature is left to fill in, since the console never has the secret. */
export function curlOf({ url, payload }: Delivery): string {
  return [
    `curl -X POST ${quoted(url ?? 'https://example.com/hooks')}`,
    `-H 'Content-Type: application/json'`,
    `-H 'Gate-Signature: t=TIMESTAMP,v1=SIGNATURE'`,
    `--data-raw ${quoted(payload ?? '{}')}`,
  ].join(' \\\n  ');
}

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
