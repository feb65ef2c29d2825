import { DOCUMENT_SIDES, type Failure, type IdentityCheck } from '@gateramp/core/domain';

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
