import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { scrubText, scrubValue } from '../../../src/runtime/telemetry/scrub.js';
import { stderrTelemetry } from '../../../src/runtime/telemetry/stderr-telemetry.js';
import { secret, sentenceWith } from './secrets.js';

const quoted = secret.chain((text) => fc.tuple(fc.constant(text), sentenceWith(text)));

describe('the scrubber', () => {
  test.prop([quoted], { numRuns: 1000 })('removes every secret from any sentence', ([text, sentence]) => {
    expect(scrubText(sentence)).not.toContain(text);
    expect(JSON.stringify(scrubValue({ a: [{ b: sentence }], [sentence]: 1 }))).not.toContain(text);
  });

  test.prop([quoted])('is part of the telemetry on stderr: message, cause and fields', ([text, sentence]) => {
    const lines: string[] = [];
    const telemetry = stderrTelemetry({ write: (line) => void lines.push(line) });
    telemetry.failure(new Error(sentence, { cause: new Error(sentence) }), { detail: sentence });
    telemetry.alarm('charged_back', { detail: sentence });
    expect(lines).toHaveLength(2);
    expect(lines.join()).not.toContain(text);
  });

  const lowerCase = fc.stringMatching(/^[a-f]{24}$/);
  it.each(['sk_test_', 'sk_live_', 'gsec_', 'whsec_', 'cs_secret_'])(
    'removes a secret of letters only: %s',
    (start) => {
      fc.assert(fc.property(lowerCase, (rest) => !scrubText(`${start}${rest}`).includes(rest)));
    },
  );

  test.prop([fc.stringMatching(/^[0-9a-f]{24}$/), fc.constantFrom('', 'ps_', 'evt_', 'delivery_')])(
    'leaves ids unchanged',
    (digits, start) => scrubText(start + digits) === start + digits,
  );

  const hex = (length: number): fc.Arbitrary<string> => fc.stringMatching(new RegExp(`^[0-9a-f]{${length}}$`));
  const identifier = fc.oneof(
    hex(24),
    fc.uuid(),
    hex(32).map((trace) => `00-${trace}-b7ad6b7169203331-01`),
    hex(40).map((address) => `0x${address}`),
    hex(64),
    fc.tuple(fc.nat(999), hex(64)).map(([sequence, digest]) => `${sequence}.${digest}`),
    hex(64).map((hash) => `0x${hash}`),
  );
  test.prop([identifier], { numRuns: 10_000 })('leaves ids, digests and addresses in a sentence unchanged', (id) => {
    const sentence = `The trail ends at "${id}", not at ${id}.`;
    // May have the form and the check digits of an IBAN of Andorra.
    fc.pre(!/^ad\d{2}/.test(id));
    expect(scrubText(sentence)).toBe(sentence);
  });

  it.each([
    [
      '{"routing_number":"021000021","account_number":"1234"}',
      '{"routing_number":"[redacted]","account_number":"[redacted]"}',
    ],
    ['No account with accountNumber: 12345678901234567.', 'No account with accountNumber: [redacted].'],
    ['Account number 000123456789 is closed.', 'Account number [redacted] is closed.'],
    [String.raw`"{\"account_number\": \"987654\"}"`, String.raw`"{\"account_number\": \"[redacted]\"}"`],
  ])('takes out the numbers of an account by their name: %s', (text, scrubbed) => {
    expect(scrubText(text)).toBe(scrubbed);
    expect(scrubValue({ account_number: '1234', routingNumber: '021000021' })).toEqual({
      account_number: '[redacted]',
      routingNumber: '[redacted]',
    });
  });

  it.each([
    'The provider answered 502 after 8000 ms.',
    'Session 65f0c0ffee65f0c0ffee0001 of 0192f3a4-1234-7123-8123-123456789012 has expired at 2030-01-01T12:00:00.000Z.',
    'at run (file:///work/gateramp/packages/core/src/application/commit/execute.ts:120:15)',
    'id12 that came from some other page',
    'connect ECONNREFUSED 127.0.0.1:5432',
    'Nonce 1 paid 64.349994 USDC to 0x52908400098527886E0F7030069857D2E4169EE7.',
    `Transaction 0x${'5290840009852788'.repeat(4)} was replaced.`,
  ])('leaves what is no secret as it is: %s', (text) => {
    expect(scrubText(text)).toBe(text);
  });

  it('removes members with the name of a secret in any notation, and values that are nested too deeply', () => {
    const value = {
      Client_Secret: 'a',
      headers: { Authorization: 'b' },
      paymentDetails: { card: 'c' },
      path: '/shown',
    };
    expect(scrubValue(value)).toEqual({
      Client_Secret: '[redacted]',
      headers: { Authorization: '[redacted]' },
      paymentDetails: '[redacted]',
      path: '/shown',
    });
    const round: { self?: unknown } = {};
    round.self = round;
    expect(JSON.stringify(scrubValue(round))).toContain('[redacted]');
  });

  it('truncates long text, without part of a secret at the cut', () => {
    const long = `${'x'.repeat(8_180)} sk_live_${'A1b2'.repeat(8)}`;
    expect(scrubText(long)).not.toContain('sk_live');
  });
});
