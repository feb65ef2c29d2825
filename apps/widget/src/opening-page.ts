/** How a partner's checkout looks, as `gate.embed.look` answers it. */
export interface Look {
  readonly display_name: string | null;
  readonly logo_url: string | null;
  readonly accent_color: string | null;
  readonly theme: 'light' | 'dark' | null;
}

interface Opening {
  readonly kind: 'frame' | 'page';
  readonly look: Look | null;
  /** The theme that the address asks for; it goes before the partner's. */
  readonly theme: string | null;
}

/** The page as it is seen until its script has run: whose checkout it is, in its theme, and bones in place of the first step. */
export function openingPage(html: string, { kind, look, theme: asked }: Opening): string {
  const theme = asked === 'light' || asked === 'dark' ? asked : (look?.theme ?? null);
  return html
    .replace(' data-theme="__GATE_THEME__"', theme === null ? '' : ` data-theme="${theme}"`)
    .replace('__GATE_KIND__', kind)
    .replace('__GATE_LOOK__', () => (look === null ? '' : escaped(JSON.stringify(look))))
    .replace('__GATE_NAME__', () => escaped(look?.display_name ?? ''))
    .replace('<i class="initial bone"></i>', (bone) => (look === null ? bone : markOf(look)));
}

/** Drawn by attributes: the policy of the page allows no style in it. */
function markOf({ display_name: name, logo_url: logo, accent_color: color }: Look): string {
  if (logo !== null && /^https?:/i.test(logo))
    // In an element of its own, which the script does not take over: it would miss that the logo has not come.
    return `<picture class="logo"><img src="${escaped(logo)}" alt="" referrerpolicy="no-referrer"></picture>`;
  const fill = color !== null && /^#[0-9a-f]{6}$/i.test(color) ? color : '#2450d8';
  const initial = [...(name ?? '')][0]?.toLocaleUpperCase() ?? '';
  return `<svg class="initial" viewBox="0 0 36 36" aria-hidden="true"><rect width="36" height="36" rx="10" fill="${fill}"/><text x="18" y="24.5" text-anchor="middle" fill="#fff">${escaped(initial)}</text></svg>`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
