/** A plain page of the server for someone who was on their way into the console. It has no script and no style. */
export function signInPage(status: number, text: string, headers: Readonly<Record<string, string>> = {}): Response {
  const body = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Sign in</title><h1>You are not signed in</h1><p>${escaped(text)}</p><p><a href="/">Back to the console</a></p></html>\n`;
  return new Response(body, {
    status,
    headers: { ...PAGE_HEADERS, 'content-type': 'text/html; charset=utf-8', ...headers },
  });
}

/** For a redirect too: addresses of a sign-in contain codes that no other site may learn. */
export const PAGE_HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const;

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (one) => `&#${one.codePointAt(0) ?? 0};`);
}
