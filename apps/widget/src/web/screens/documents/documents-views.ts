export { DocumentsView } from './documents-view.js';
export { ReviewView } from './review-view.js';
