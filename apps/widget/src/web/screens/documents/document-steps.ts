import { laterPart } from '../../host/later-part.js';

/** Pictures of a document, with their words, and what is shown while they are reviewed: most buyers never see them. */
export const documentSteps = laterPart(() => import('./documents-views.js'));
