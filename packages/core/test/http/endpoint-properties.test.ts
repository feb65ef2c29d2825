import { describe, expect, it } from 'vitest';
import { read, serving, trialEndpoint } from './trial-endpoint.js';

describe('an endpoint that requires an entitlement', () => {
  it('responds with 403 and its own code to a partner without it', async () => {
    const ask = await serving(trialEndpoint, { partner: { entitlements: [] } });
    const answer = await ask();
    expect(answer.status).toBe(403);
    expect(read(answer)).toMatchObject({ code: 'swap_not_enabled', message: 'Ask support.' });
  });

  it('is refused after authentication and before anything of the request is read', async () => {
    const ask = await serving(trialEndpoint, { partner: { entitlements: [] } });
    expect(read(await ask({ headers: { authorization: 'Bearer sk_test_0000000000000000nobodyskey' } }))['code']).toBe(
      'invalid_api_key',
    );
    expect(read(await ask({ query: 'unknown=1' }))['code']).toBe('swap_not_enabled');
  });

  it('serves a partner that has it', async () => {
    expect((await (await serving(trialEndpoint))()).status).toBe(200);
  });
});

describe('a cacheable response', () => {
  it('has a strong ETag, a private lifetime, and varies by key and origin', async () => {
    const { headers } = await (await serving(trialEndpoint))();
    expect(headers['etag']).toMatch(/^"[0-9a-f]{32}"$/);
    expect(headers).toMatchObject({ 'cache-control': 'private, max-age=300', vary: 'Origin, Authorization' });
  });

  it.each([
    ['the tag', (tag: string) => tag],
    ['one of several', (tag: string) => `"other", ${tag}`],
    ['the tag as a proxy weakened it', (tag: string) => `W/${tag}`],
    ['any tag', () => '*'],
  ])('is 304 without a body to one who has %s', async (_, known) => {
    const ask = await serving(trialEndpoint);
    const etag = (await ask()).headers['etag'] ?? '';
    const again = await ask({ headers: { 'if-none-match': known(etag) } });
    expect([again.status, again.body, again.headers['etag']]).toEqual([304, '', etag]);
    expect(again.headers['content-type']).toBeUndefined();
    expect(again.headers['x-request-id']).toMatch(/^req_/);
    expect(again.headers['x-ratelimit-limit-short']).toBeDefined();
  });

  it('is complete for a client with another version, and after a change', async () => {
    const ask = await serving(trialEndpoint);
    const etag = (await ask()).headers['etag'] ?? '';
    expect((await ask({ headers: { 'if-none-match': '"other"' } })).status).toBe(200);
    expect((await ask({ query: 'kind=a', headers: { 'if-none-match': etag } })).status).toBe(200);
  });

  it('is never a refusal', async () => {
    const { status, headers } = await (await serving(trialEndpoint))({ query: 'unknown=1' });
    expect([status, headers['etag'], headers['cache-control']]).toEqual([400, undefined, 'no-store']);
  });
});

describe('a declared query', () => {
  it('accepts a parameter several times if it is an array', async () => {
    const ask = await serving(trialEndpoint);
    expect(read(await ask({ query: 'kind=a&kind=b' }))['kinds']).toEqual(['a', 'b']);
    expect(read(await ask({ query: 'kind=a' }))['kinds']).toEqual(['a']);
    expect(read(await ask())['kinds']).toEqual([]);
  });

  it('refuses NUL characters in all parameters, and unknown parameters', async () => {
    const ask = await serving(trialEndpoint);
    expect(read(await ask({ query: 'kind=a&kind=%00' }))).toMatchObject({ code: 'validation_failed' });
    expect(read(await ask({ query: 'kinds=a' }))).toMatchObject({ code: 'unknown_parameter' });
  });
});
