export { ComponentView } from './component-view.js';
export { VisitView } from './visit-view.js';
