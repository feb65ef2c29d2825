/** The description of the API that a gate serves: an OpenAPI document, and a page with every operation and error code. */
import type { Extension } from '@gateramp/core/extension';
import { pagesOf } from './pages.js';

export { type JsonSchema, type JsonSchemaOptions, jsonSchemas, type JsonSchemas } from './json-schemas.js';
export { eventCatalogue, jsonContent, openApiDocument, queryParameters } from './open-api-document.js';
export { PAGE_PATHS } from './pages.js';

/** The API document, as `createGate` takes it among its `extensions`. */
export type ApiDocument = Extension<Readonly<Record<never, never>>>;

/**
 * Serves `/openapi.json` and `/docs` on every host, for the engine and all extensions of its gate. `doc_url` of errors then leads to
 * `/docs`; without this extension it is null.
 */
export function apiDocument(): ApiDocument {
  return { contract: 2, name: 'api_document', pages: pagesOf };
}
