import { expect, it } from 'vitest';
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
