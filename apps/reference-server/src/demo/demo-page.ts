/** Only this origin's own script, style and answers; nothing inline. */
export const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

export const DEMO_PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Demo shop</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/demo.css">
<script src="/demo.js" defer></script>
</head>
<body>
<main>
<h1>Demo shop</h1>
<p>A partner of this Gateramp server, in test mode. No real money moves.</p>
<p><button id="sell" type="button">Create a session and pay it in test mode</button></p>
<p id="outcome" role="status"></p>
<h2>Webhooks received</h2>
<table>
<thead><tr><th>Received</th><th>Type</th><th>Sequence</th><th>Session</th><th>Signature</th><th>Event</th></tr></thead>
<tbody id="hooks"></tbody>
</table>
<p id="none">None yet.</p>
</main>
</body>
</html>
`;

/** Texts enter the page as text nodes only, so nothing that arrives can become markup. */
export const DEMO_SCRIPT = `'use strict';
const sell = document.getElementById('sell');
const outcome = document.getElementById('outcome');
const rows = document.getElementById('hooks');
const none = document.getElementById('none');

sell.addEventListener('click', async () => {
  sell.disabled = true;
  outcome.textContent = 'Working…';
  try {
    const response = await fetch('/sell', { method: 'POST' });
    const answer = await response.json();
    outcome.textContent = response.ok ? 'Session ' + answer.session_id + ': the intent is ' + answer.status + '.' : answer.message;
  } catch {
    outcome.textContent = 'The demo shop does not answer.';
  }
  sell.disabled = false;
  await refresh();
});

async function refresh() {
  const response = await fetch('/hooks');
  const { data } = await response.json();
  rows.replaceChildren(...data.map(row));
  none.hidden = data.length > 0;
}

function row(hook) {
  const line = document.createElement('tr');
  const signature = hook.verified ? 'verified' : 'NOT verified: ' + hook.problem;
  for (const text of [hook.received_at, hook.type, hook.sequence, hook.session_id, signature, hook.id]) {
    line.insertCell().textContent = text === null ? '–' : String(text);
  }
  line.className = hook.verified ? 'good' : 'bad';
  return line;
}

async function poll() {
  await refresh().catch(() => undefined);
  setTimeout(poll, 2000);
}
void poll();
`;

export const DEMO_STYLE = `:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 68rem; margin: 2rem auto; padding: 0 1rem; overflow-x: auto; }
button { font: inherit; padding: .6rem 1rem; border-radius: .4rem; border: 1px solid currentColor; cursor: pointer; }
table { border-collapse: collapse; width: 100%; font-size: .85rem; }
th, td { text-align: left; padding: .35rem .6rem; border-bottom: 1px solid #8884; white-space: nowrap; }
.bad td { color: #c62828; }
`;
