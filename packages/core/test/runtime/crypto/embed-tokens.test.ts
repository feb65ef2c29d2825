import { createHmac } from 'node:crypto';
import { fc, test } from '@fast-check/vitest';
import { SignJWT, UnsecuredJWT } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { embedTokens, type EmbedTokens } from '../../../src/runtime/crypto/embed-tokens.js';
import { nodeCrypto } from '../../../src/runtime/index.js';
import { memorySettings } from '../memory-settings.js';

const secret = new Uint8Array(32).fill(9);
const issuedAt = 1_700_000_000_500;
const expiresAt = issuedAt + 3_600_000;
const claims = { partner: 'p1', session: null, jti: 'j1' };

let tokens: EmbedTokens;
beforeAll(async () => {
  tokens = await embedTokens(secret);
});

const part = (token: string, index: number): Record<string, unknown> =>
  JSON.parse(Buffer.from(token.split('.')[index] ?? '', 'base64url').toString());

/** A token signed with the right key, but with other content. */
function forged(header: { alg: string; typ: string }, payload: Record<string, unknown>, key = secret): Promise<string> {
  return new SignJWT(payload).setProtectedHeader(header).sign(key);
}

const good = { aud: 'gate-embed', iat: 1_700_000_000, exp: 1_700_003_601 };
const header = { alg: 'HS256', typ: 'gate-embed+jwt' };

describe('an embed token', () => {
  it('is a JWT of type gate-embed+jwt, HS256, audience gate-embed, times in seconds', async () => {
    const token = await tokens.sign(claims, issuedAt, expiresAt);
    expect(part(token, 0)).toEqual(header);
    expect(part(token, 1)).toEqual({ ...claims, ...good });
  });

  it('returns its claims, including null ones', async () => {
    const token = await tokens.sign(claims, issuedAt, expiresAt);
    expect(await tokens.verify(token, issuedAt)).toEqual({ kind: 'valid', claims });
  });

  test.prop([fc.nat(10_000_000)])(
    'is valid up to the stated instant and expired within a second after it',
    async (offset) => {
      const until = expiresAt + offset;
      const token = await tokens.sign(claims, issuedAt, until);
      expect((await tokens.verify(token, until)).kind).toBe('valid');
      expect((await tokens.verify(token, until + 1_000)).kind).toBe('expired');
    },
  );

  it('with whole seconds is valid at its expiry and expired a millisecond later', async () => {
    const token = await tokens.sign(claims, 1_700_000_000_000, 1_700_003_600_000);
    expect((await tokens.verify(token, 1_700_003_600_000)).kind).toBe('valid');
    expect((await tokens.verify(token, 1_700_003_600_001)).kind).toBe('expired');
  });

  it('with a wrong signature is invalid, not expired', async () => {
    const token = await (await embedTokens(new Uint8Array(32).fill(1))).sign(claims, issuedAt, expiresAt);
    expect(await tokens.verify(token, expiresAt + 10_000)).toEqual({ kind: 'invalid' });
  });

  it.each([
    ['another type', () => forged({ ...header, typ: 'JWT' }, good)],
    ['another audience', () => forged(header, { ...good, aud: 'else' })],
    ['no audience', () => forged(header, { iat: good.iat, exp: good.exp })],
    ['no expiry', () => forged(header, { aud: good.aud, iat: good.iat })],
    ['another algorithm', () => forged({ ...header, alg: 'HS512' }, good, new Uint8Array(64).fill(9))],
    ['claims that are not text', () => forged(header, { ...good, roles: ['admin'] })],
    ['no signature', async () => new UnsecuredJWT(good).encode()],
    ['algorithm none and our type', async () => `${base64url({ alg: 'none', typ: header.typ })}.${base64url(good)}.`],
  ])('with %s is invalid', async (_name, make) => {
    expect(await tokens.verify(await make(), issuedAt)).toEqual({ kind: 'invalid' });
  });

  it.each<[string, (signature: string) => string]>([
    ['padded', (signature) => `${signature}=`],
    ['in the other alphabet', (signature) => signature.replaceAll('-', '+').replaceAll('_', '/')],
    ['with a line break', (signature) => `${signature}\n`],
    ['with stray bits at its end', nextInAlphabet],
  ])('whose signature is the same bytes %s is invalid: a token has one text', async (_name, respell) => {
    const [signed, signature] = await aTokenOf(/-.*_|_.*-/);
    const other = respell(signature);
    expect(other).not.toBe(signature);
    expect(Buffer.from(other, 'base64url')).toEqual(Buffer.from(signature, 'base64url'));
    expect((await tokens.verify(`${signed}.${signature}`, issuedAt)).kind).toBe('valid');
    expect(await tokens.verify(`${signed}.${other}`, issuedAt)).toEqual({ kind: 'invalid' });
  });

  it('forged correctly would pass: the cases above fail only for their single fault', async () => {
    expect((await tokens.verify(await forged(header, good), issuedAt)).kind).toBe('valid');
    const signed = `${base64url(header)}.${base64url(good)}`;
    const signature = createHmac('sha256', secret).update(signed).digest('base64url');
    expect((await tokens.verify(`${signed}.${signature}`, issuedAt)).kind).toBe('valid');
  });

  test.prop([
    fc.oneof(
      fc.string(),
      fc.tuple(fc.base64String(), fc.base64String(), fc.base64String()).map((parts) => parts.join('.')),
    ),
  ])('is never found in arbitrary text, and reading that never throws', async (text) => {
    expect(await tokens.verify(text, issuedAt)).toEqual({ kind: 'invalid' });
  });

  it('can be read by every process of the installation', async () => {
    const [settings, masterKey] = [memorySettings(), new Uint8Array(32).fill(3)];
    const [a, b] = [nodeCrypto({ masterKey }), nodeCrypto({ masterKey })];
    await a.open(settings);
    await b.open(settings);
    expect(await b.verifyToken(await a.signToken(claims, issuedAt, expiresAt), issuedAt)).toEqual({
      kind: 'valid',
      claims,
    });
  });
});

/** The signed part and the signature of the first token that matches. */
async function aTokenOf(wanted: RegExp): Promise<[signed: string, signature: string]> {
  for (let nth = 0; ; nth += 1) {
    const token = await tokens.sign({ ...claims, jti: `j${nth}` }, issuedAt, expiresAt);
    const dot = token.lastIndexOf('.');
    if (wanted.test(token.slice(dot + 1))) return [token.slice(0, dot), token.slice(dot + 1)];
  }
}

/** 32 bytes leave two bits of the last letter unused, so four letters encode the same signature. */
function nextInAlphabet(signature: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  return signature.slice(0, -1) + alphabet.charAt(alphabet.indexOf(signature.slice(-1)) + 1);
}

function base64url(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
