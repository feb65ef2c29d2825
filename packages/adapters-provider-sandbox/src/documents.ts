import { DOCUMENT_SIDES, type Failure, type IdentityCheck } from '@gateramp/core/domain';

/** A document that contains this text anywhere in its bytes is rejected by the review. */
export const REJECTED_DOCUMENT_MARK = 'GATERAMP-REJECT';

/** Requests all sides of a document from the buyer. */
export const DOCUMENTS_ACTION: IdentityCheck = {
  type: 'kyc',
  level: 'document',
  fields: [],
  documents: { sides: DOCUMENT_SIDES, received: [], inReview: false },
};

/** Shown to a buyer whose documents are under review. */
export const REVIEW_ACTION: IdentityCheck = {
  ...DOCUMENTS_ACTION,
  documents: { sides: DOCUMENT_SIDES, received: [], inReview: true },
};

/** The failure of an operation whose documents were rejected. */
export const DOCUMENTS_REJECTED: Failure = {
  code: 'kyc_rejected',
  stage: 'kyc',
  message: 'The identity documents were rejected.',
  retryable: false,
};
