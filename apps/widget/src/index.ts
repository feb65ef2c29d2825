/** Serves the hosted checkout: the built files and the headers they need. */
export { widgetHandler, type WidgetHandler, type WidgetOptions } from './widget-handler.js';
export { widgetListener, type WidgetListenerOptions } from './widget-listener.js';
export type { Look } from './opening-page.js';
