/** Scalar's standalone bundle, which is loaded before this script. */
declare const Scalar: {
  createApiReference(place: Element, configuration: Readonly<Record<string, unknown>>): unknown;
};

const overview = document.querySelector('#overview');
const codes = new Set([...document.querySelectorAll('#errors section')].map(({ id }) => id));
const ERRORS = '#tag/errors';

const linkedCode = (): string | null => {
  const code = location.hash.slice(1);
  return codes.has(code) ? code : null;
};

/**
 * Scalar renders the explanation of a code as a heading without an id, and scrolls to its section for some time after that appears. So this
 * repeats for three seconds, or until the reader scrolls.
 */
function showError(code: string): void {
  const until = performance.now() + 3_000;
  const reader = new AbortController();
  for (const type of ['wheel', 'touchmove', 'keydown', 'pointerdown'])
    addEventListener(type, () => reader.abort(), { signal: reader.signal });
  const frame = (): void => {
    if (reader.signal.aborted) return;
    const heading = [...document.querySelectorAll('#reference h3')].find(({ textContent }) => textContent === code);
    heading?.scrollIntoView();
    if (performance.now() < until || heading === undefined) requestAnimationFrame(frame);
    else history.replaceState(null, '', `#${code}`);
  };
  frame();
}

/** Scalar's copy buttons have an icon but no accessible name. */
function nameButtons(place: Element): void {
  for (const button of place.querySelectorAll('button:not([aria-label])'))
    if (button.textContent.trim() === '' && !button.hasAttribute('aria-labelledby')) button.ariaLabel = 'Copy';
}

/** Loaded after the overview has been painted, since it has 4 MB. */
function loadScalar(whenLoaded: () => void): void {
  const script = document.createElement('script');
  script.src = document.querySelector('script[data-scalar]')?.getAttribute('data-scalar') ?? '';
  script.onload = whenLoaded;
  document.head.append(script);
}

function render(): void {
  const place = document.createElement('div');
  place.id = 'reference';
  document.body.append(place);
  new MutationObserver(() => nameButtons(place)).observe(place, { childList: true, subtree: true });

  const code = linkedCode();
  if (code !== null) history.replaceState(null, '', ERRORS);
  Scalar.createApiReference(place, {
    url: new URL('openapi.json', location.href).href,
    withDefaultFonts: false,
    telemetry: false,
    agent: { disabled: true },
    mcp: { disabled: true },
    showDeveloperTools: 'never',
    hideClientButton: true,
    hideTestRequestButton: true,
    hiddenClients: true,
    documentDownloadType: 'direct',
    onLoaded: () => {
      overview?.remove();
      place.dataset['loaded'] = '';
      if (code !== null) showError(code);
    },
  });
}

addEventListener('hashchange', () => {
  const code = linkedCode();
  if (code === null || overview?.isConnected === true) return;
  location.replace(ERRORS);
  showError(code);
});
requestAnimationFrame(() => setTimeout(() => loadScalar(render)));
