export { DocumentsView } from './documents-view.js';
export { ReviewView } from './review-view.js';
export { uploadFile } from '../../wire/upload.js';
