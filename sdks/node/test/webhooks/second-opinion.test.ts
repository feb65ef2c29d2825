import { createServer } from 'node:http';
import { Stripe } from 'stripe';
import { describe, expect, it, onTestFinished } from 'vitest';
import { portOf } from '../../../../tests/services/ports.js';
import { startReferenceServer, TEST_PARTNER } from '../../../../tests/services/reference-server.js';
import { Gate, webhooks } from '../../src/index.js';
import { signatureVectors } from '../vectors.js';

/** An independent public verifier of the same scheme. */
const { webhooks: theirs } = Stripe;
const SECRET = 'whsec_9fQ2bTzW1kLmX7cVn2Rs4yUe6iOp8aSd';
const payload = '{"id":"7c9e6679","type":"webhook.test","data":{"name":"Žofie 🚀"}}';

describe('the verifier of the stripe package', () => {
  it('accepts what we sign, and we what it signs', () => {
    const timestamp = Math.floor(Date.now() / 1000);
    const ours = webhooks.generateTestHeader({ payload, secret: SECRET, timestamp });
    expect(ours).toBe(theirs.generateTestHeaderString({ payload, secret: SECRET, timestamp }));
    expect(theirs.constructEvent(payload, ours, SECRET)).toEqual(webhooks.constructEvent(payload, ours, SECRET));
  });

  const byText = signatureVectors.filter(({ payload: text, reason }) => text !== undefined && reason === null);
  it.each(byText)('accepts: $name', ({ payload: text = '', header, secrets, now, tolerance_seconds: tolerance }) => {
    const verified = secrets.some((secret) => holds(text, header ?? '', secret, tolerance, now));
    // It parses the header strictly, without spaces around its parts, and ignores a tolerance of 0.
    expect(verified).toBe(!/\s/.test(header ?? ''));
  });
});

interface Delivered {
  readonly body: Buffer;
  readonly header: string;
}

/** A receiver that only records the raw bytes. */
async function catcher(): Promise<{ readonly url: string; readonly delivered: readonly Delivered[] }> {
  const delivered: Delivered[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      delivered.push({ body: Buffer.concat(chunks), header: String(request.headers['gate-signature']) });
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${portOf(server)}/`, delivered };
}

it('what the service delivers is accepted by theirs and by ours, with the new secret and the old while it rotates', async () => {
  const { url, delivered } = await catcher();
  const secret_keys = [TEST_PARTNER.secretKey];
  const { origins } = await startReferenceServer({
    partner: { test: { secret_keys, publishable_keys: [], webhook_url: url, webhook_secret: SECRET } },
  });
  const gate = new Gate(TEST_PARTNER.secretKey, { baseUrl: origins.sandbox });
  const verified = async (secrets: readonly string[]): Promise<void> => {
    const { event_id: id } = await gate.webhooks.test();
    const isIt = ({ body }: Delivered): boolean => body.includes(id);
    await expect.poll(() => delivered.some(isIt)).toBe(true);
    const { body, header } = delivered.find(isIt) ?? expect.unreachable();
    expect(header.match(/v1=/g)).toHaveLength(secrets.length);
    for (const secret of secrets) {
      expect(webhooks.constructEvent(body, header, secret)).toMatchObject({ id, type: 'webhook.test' });
      expect(theirs.constructEvent(body, header, secret)).toMatchObject({ id, type: 'webhook.test' });
    }
  };
  await verified([SECRET]);
  const { secret } = await gate.webhooks.rotateSecret({ grace_period_seconds: 3600 });
  await verified([secret, SECRET]);
});

function holds(text: string, header: string, secret: string, tolerance: number, now: number): boolean {
  try {
    theirs.constructEvent(text, header, secret, tolerance, undefined, now * 1000);
    return true;
  } catch {
    return false;
  }
}
