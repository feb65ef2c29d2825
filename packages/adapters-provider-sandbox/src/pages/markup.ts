/** The markup of the pages. The only data of a buyer in it is the amount, which the sandbox has computed itself. */
export const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; background: Canvas; color: CanvasText; }
main { box-sizing: border-box; width: 100%; max-width: 26rem; padding: 1.5rem; }
h1 { font-size: 1.25rem; margin: 0 0 .5rem; }
p { margin: 0 0 1rem; }
form, .choices { display: grid; gap: .75rem; }
button { font: inherit; min-height: 44px; border-radius: 10px; border: 1px solid #6b7280; background: transparent; color: inherit; cursor: pointer; }
button.primary { background: #111827; border-color: #111827; color: #fff; font-weight: 600; }
.test { margin: .75rem 0 0; font-size: .875rem; opacity: .75; }
body.component { min-height: 0; }
body.component main { padding: .25rem; }
@media (prefers-color-scheme: dark) { button.primary { background: #f9fafb; border-color: #f9fafb; color: #111827; } }
`;

export function questionPage(amount: string): string {
  return shell(
    'Approve your payment',
    `<h1>Approve your payment</h1>
<p>Your bank asks you to confirm a payment of <strong>${escaped(amount)}</strong>.</p>
<form method="post">
<button class="primary" name="decision" value="approve">Approve</button>
<button name="decision" value="decline">Decline</button>
</form>
<p class="test">Test bank of the sandbox: no money moves.</p>`,
  );
}

export function messagePage(message: string): string {
  return shell('Payment', `<h1>${escaped(message)}</h1>`);
}

export function componentPage(framedBy: readonly string[]): string {
  return shell(
    'Sandbox Pay',
    `<div class="choices">
<button id="approve" class="primary" disabled>Pay with Sandbox Pay</button>
<button id="decline" disabled>Decline</button>
</div>
<p class="test">Test wallet of the sandbox: no money moves.</p>
<script src="component.js" data-checkout="${escaped(framedBy.join(' '))}"></script>`,
    'component',
  );
}

/** Receives the client secret from the checkout that frames it, and reports the buyer's decision. */
export const COMPONENT_SCRIPT = `(() => {
  const origins = document.currentScript.dataset.checkout.split(' ');
  const buttons = ['approve', 'decline'].map((id) => document.getElementById(id));
  let secret = null;
  let checkout = null;
  const tell = (type, payload) => parent.postMessage({ type, payload }, checkout);
  addEventListener('message', ({ source, origin, data }) => {
    if (source !== parent || !origins.includes(origin) || data?.type !== 'COMPONENT_INIT') return;
    secret = String(data.payload?.clientSecret ?? '');
    checkout = origin;
    for (const button of buttons) button.disabled = false;
    tell('COMPONENT_RESIZE', { height: document.documentElement.offsetHeight });
  });
  for (const button of buttons) {
    button.addEventListener('click', async () => {
      for (const one of buttons) one.disabled = true;
      const body = new URLSearchParams({ client_secret: secret, decision: button.id });
      const answer = await fetch(location.pathname, { method: 'POST', body }).catch(() => null);
      if (answer?.ok) tell('COMPONENT_DONE', {});
      else for (const one of buttons) one.disabled = false;
    });
  }
  // The origin of the framing checkout is not known yet; this message contains no data.
  parent.postMessage({ type: 'COMPONENT_READY', payload: {} }, '*');
})();
`;

function shell(title: string, body: string, name: 'page' | 'component' = 'page'): string {
  // Relative, so that the pages also work below a prefix.
  const root = name === 'page' ? '../' : '';
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="stylesheet" href="${root}style.css">
<link rel="icon" href="data:,">
</head>
<body class="${name}"><main>
${body}
</main></body>
</html>
`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0) ?? 0};`);
}
