import { DOCUMENT_SIDES, type Failure, type IdentityCheck, type Instant } from '@gateramp/core/domain';
import type { DocumentOrder } from '@gateramp/core/ports';
import type { SandboxOperation } from './operation.js';

/** An identity document shows this text somewhere in its bytes if its review shall reject it. */
export const REJECTED_DOCUMENT_MARK = 'GATERAMP-REJECT';

/** Asks the buyer for all sides of a document. */
export const DOCUMENTS_ACTION: IdentityCheck = {
  type: 'kyc',
  level: 'document',
  fields: [],
  documents: { sides: DOCUMENT_SIDES, received: [], inReview: false },
};

/** What a buyer whose documents are under review waits for. */
export const REVIEW_ACTION: IdentityCheck = {
  ...DOCUMENTS_ACTION,
  documents: { sides: DOCUMENT_SIDES, received: [], inReview: true },
};

/** Why an operation whose documents were rejected fails. */
export const DOCUMENTS_REJECTED: Failure = {
  code: 'kyc_rejected',
  stage: 'kyc',
  message: 'The identity documents were rejected.',
  retryable: false,
};

/** The operation at `now`: a review that is over by then has had its result. */
export function reviewed(operation: SandboxOperation, now: Instant): SandboxOperation {
  const { state } = operation;
  return state.step === 'in_review' && now >= state.until ? { ...operation, state: state.then } : operation;
}

/** One side has arrived. Where no document is asked for, or they are under review, it changes nothing. */
export function receiveDocument(
  operation: SandboxOperation,
  { side, bytes, now }: Pick<DocumentOrder, 'side' | 'bytes' | 'now'>,
): SandboxOperation {
  const { state } = operation;
  if (state.step !== 'awaiting' || state.action.type !== 'kyc' || state.action.documents === undefined)
    return operation;
  const isRejected = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes(REJECTED_DOCUMENT_MARK);
  const documents = { ...operation.documents, [side]: isRejected ? 'rejected' : 'acceptable' } as const;
  return { ...operation, documents, updatedAt: now };
}
