/** The appearance of a partner's checkout, as returned by `gate.embed.look`. */
export interface Look {
  readonly display_name: string | null;
  readonly logo_url: string | null;
  readonly accent_color: string | null;
  readonly theme: 'light' | 'dark' | null;
}

interface Opening {
  readonly kind: 'frame' | 'page';
  readonly look: Look | null;
  /** The theme requested in the URL; it takes precedence over the partner's. */
  readonly theme: string | null;
}

/** The page before its script has run: the partner's name and logo in its theme, with a skeleton in place of the first step. */
export function openingPage(html: string, { kind, look, theme: asked }: Opening): string {
  const theme = asked === 'light' || asked === 'dark' ? asked : (look?.theme ?? null);
  return html
    .replace(' data-theme="__GATE_THEME__"', theme === null ? '' : ` data-theme="${theme}"`)
    .replace('__GATE_KIND__', kind)
    .replace('__GATE_LOOK__', () => (look === null ? '' : escaped(JSON.stringify(look))))
    .replace('__GATE_NAME__', () => escaped(look?.display_name ?? ''))
    .replace('<i class="initial bone"></i>', (bone) => (look === null ? bone : markOf(look)));
}

/** Uses presentation attributes, since the Content-Security-Policy of the page forbids inline styles. */
function markOf({ display_name: name, logo_url: logo, accent_color: color }: Look): string {
  if (logo !== null && /^https?:/i.test(logo))
    // Wrapped in an element that the script replaces instead of reusing: on a reused image it would miss an earlier load error.
    return `<picture class="logo"><img src="${escaped(logo)}" alt="" referrerpolicy="no-referrer"></picture>`;
  const fill = color !== null && /^#[0-9a-f]{6}$/i.test(color) ? color : '#2450d8';
  const initial = [...(name ?? '')][0]?.toLocaleUpperCase() ?? '';
  return `<svg class="initial" viewBox="0 0 36 36" aria-hidden="true"><rect width="36" height="36" rx="10" fill="${fill}"/><text x="18" y="24.5" text-anchor="middle" fill="#fff">${escaped(initial)}</text></svg>`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
