import type { Mode } from '@gateramp/core';
import { STATUSES, TryAgain } from '@gateramp/core/http';
import { isOutage } from '@gateramp/core/ports';
import type { TestGate, TestResponse } from '@gateramp/testing';

/** The refund of a transaction, and its idempotency key. */
export interface OperatorRefund {
  readonly refid: string;
  readonly body: unknown;
  readonly key: string;
  readonly mode?: Mode;
}

/** A refund by an operator, answered like a request. */
export async function operatorRefund(
  { gate, partner }: Pick<TestGate, 'gate' | 'partner'>,
  { refid, body, key, mode = 'test' }: OperatorRefund,
): Promise<TestResponse> {
  const { admin } = gate;
  // Tests also send bodies that the types refuse.
  const given = body as Parameters<typeof admin.refundTransaction>[2];
  try {
    const done = await admin.refundTransaction({ partnerId: partner.id, mode }, refid, given, { idempotencyKey: key });
    return done.match(
      (transaction) => answer(201, transaction),
      ({ code, message, fields: errors }) =>
        answer(STATUSES[code], {
          code,
          message,
          statusCode: STATUSES[code],
          ...(errors === undefined ? {} : { errors }),
        }),
    );
  } catch (error) {
    const code = error instanceof TryAgain ? 'try_again' : isOutage(error) ? 'service_unavailable' : 'internal_error';
    return answer(STATUSES[code], { code, message: String(error), statusCode: STATUSES[code] });
  }
}

function answer(status: number, json: object): TestResponse {
  return { status, headers: {}, text: JSON.stringify(json), json: { ...json } };
}
