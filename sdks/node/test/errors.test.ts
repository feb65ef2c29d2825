import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { startReferenceServer, TEST_PARTNER } from '../../../tests/services/reference-server.js';
import { ConflictError, Gate, GateError, IdempotencyError } from '../src/index.js';

async function refused(status: number, code: string): Promise<unknown> {
  const fetch = async (): Promise<Response> => Response.json({ code, message: 'Refused.' }, { status });
  return new Gate('sk_test_a', { fetch, maxRetries: 0 }).gateSessions.list().then(
    () => null,
    (error: unknown) => error,
  );
}

it.each(['session_not_open', 'session_processing', 'quota_exhausted', 'a_code_to_come'])(
  '409 %s is a ConflictError, which is an IdempotencyError',
  async (code) => {
    const error = await refused(409, code);
    expect(error).toBeInstanceOf(ConflictError);
    expect(error).toBeInstanceOf(IdempotencyError);
    expect(error).toMatchObject({ name: 'ConflictError', type: 'idempotency_error', code, status: 409 });
  },
);

it.each([
  [409, 'operation_in_progress'],
  [422, 'idempotency_key_mismatch'],
  [409, 'idempotency_key_mismatch'],
])('%i %s is an IdempotencyError and no ConflictError', async (status, code) => {
  const error = await refused(status, code);
  expect(error).toBeInstanceOf(IdempotencyError);
  expect(error).not.toBeInstanceOf(ConflictError);
  expect(error).toMatchObject({ name: 'IdempotencyError', type: 'idempotency_error', code, status });
});

it('no other status is an IdempotencyError', async () => {
  for (const status of [400, 401, 403, 404, 413, 422, 429, 500]) {
    const error = await refused(status, 'x');
    expect(error).toBeInstanceOf(GateError);
    expect(error).not.toBeInstanceOf(IdempotencyError);
  }
});

describe('docUrl', () => {
  const docUrlOf = async (doc_url: unknown): Promise<unknown> => {
    const body = { code: 'session_not_found', message: 'No such session.', doc_url };
    const fetch = async (): Promise<Response> => Response.json(body, { status: 404 });
    const error: unknown = await new Gate('sk_test_a', { fetch, baseUrl: 'https://shop.example/gate' }).gateSessions
      .retrieve('a')
      .then(
        () => null,
        (caught: unknown) => caught,
      );
    if (!(error instanceof GateError)) return expect.unreachable();
    expect(inspect(error)).toContain(`docUrl: ${inspect(error.docUrl)}`);
    return error.docUrl;
  };

  it.each([
    ['/gate/docs#session_not_found', 'https://shop.example/gate/docs#session_not_found'],
    ['https://docs.example/errors#session_not_found', 'https://docs.example/errors#session_not_found'],
  ])('of %s is a full address, which a log shows', async (given, link) => {
    expect(await docUrlOf(given)).toBe(link);
  });

  it.each([null, undefined, '', 7, 'javascript:alert(1)', 'https://'])(
    'of %j is null: it leads to no page',
    async (given) => {
      expect(await docUrlOf(given)).toBeNull();
    },
  );

  it('leads to the explanation of the code', async () => {
    const { origins } = await startReferenceServer();
    const gate = new Gate(TEST_PARTNER.secretKey, { baseUrl: origins.sandbox });
    const error: unknown = await gate.gateSessions.retrieve('68a1f0c2b7e94d1f3a5c7e90').then(
      () => null,
      (caught: unknown) => caught,
    );
    if (!(error instanceof GateError) || error.docUrl === null) return expect.unreachable();
    const page = await fetch(error.docUrl);
    expect([page.status, error.docUrl]).toEqual([200, `${origins.sandbox}/docs#${error.code}`]);
    expect(await page.text()).toContain(`id="${error.code}"`);
  });
});
