import { laterPart } from '../../host/later-part.js';

/** The document upload and review steps with their texts. Loaded on demand, since most buyers never see them. */
export const documentSteps = laterPart(() => import('./documents-views.js'));
