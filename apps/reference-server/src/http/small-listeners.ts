import type { RequestListener } from 'node:http';
import { answer, refuse } from './plain-answer.js';

/** Where the hosted checkout will be; a page that says so. */
export const widgetListener: RequestListener = (request, response) => {
  if (!isRead(request.method) || pathOf(request.url) !== '/') {
    refuse(response, 'route_not_found', 'There is only one page here, at /.');
    return;
  }
  answer(response, 200, 'text/html', WIDGET_PAGE, PAGE_HEADERS);
};

/** Nothing may be loaded, posted or framed. */
const PAGE_HEADERS = {
  'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
} as const;

const WIDGET_PAGE = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Gateramp checkout</title></head>
<body><main><h1>Gateramp checkout</h1><p>The hosted checkout comes in a later version. Until then use the embed calls of the API.</p></main></body>
</html>
`;

function isRead(method: string | undefined): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** Cut to what a message can bear. */
function pathOf(url: string | undefined): string {
  return (url ?? '').split('?', 1)[0]?.slice(0, 200) ?? '';
}
