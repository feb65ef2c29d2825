import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import {
  CLIENT_SECRET_RANDOM_LENGTH,
  clientSecret,
  clientSecretPrefix,
  sessionIdOfClientSecret,
} from '../../../src/domain/session/open-session.js';
import { SESSION_ID } from '../builders.js';
import { forAll } from '../for-all.js';

const BASE62 = [...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'];
const sessionId = fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 24, maxLength: 24 });
const random = fc.string({ unit: fc.constantFrom(...BASE62), minLength: 32, maxLength: 32 });
const RANDOM = 'abcdefghijklmnopqrstuvwxyzABCDEF';

describe('the client secret', () => {
  it('has the form gsec_<session_id>_<random> with 32 random characters', () => {
    expect(CLIENT_SECRET_RANDOM_LENGTH).toBe(32);
    expect(clientSecret(SESSION_ID, RANDOM)).toBe(`gsec_${SESSION_ID}_${RANDOM}`);
  });

  forAll([sessionId, random])('names the session it opens, and its prefix cannot open it', (id, part) => {
    const secret = clientSecret(id, part);
    expect(sessionIdOfClientSecret(secret)).toBe(id);
    const prefix = clientSecretPrefix(secret);
    expect(secret.startsWith(prefix)).toBe(true);
    expect(secret.length - prefix.length).toBeGreaterThanOrEqual(28);
    expect(sessionIdOfClientSecret(prefix)).toBeNull();
  });

  it.each([
    '',
    'gsec_',
    `gsec_${SESSION_ID}_${RANDOM.slice(1)}`,
    `gsec_${SESSION_ID}_${RANDOM}x`,
    `gsec_${SESSION_ID}_${RANDOM}\n`,
    ` gsec_${SESSION_ID}_${RANDOM}`,
    `gsec_${SESSION_ID.toUpperCase()}_${RANDOM}`,
    `gsec_${SESSION_ID.slice(1)}_${RANDOM}`,
    `gsec_${SESSION_ID}_${RANDOM.slice(1)}-`,
    `GSEC_${SESSION_ID}_${RANDOM}`,
    `sk_test_${RANDOM}`,
  ])('%j is not one', (text) => {
    expect(sessionIdOfClientSecret(text)).toBeNull();
  });
});
