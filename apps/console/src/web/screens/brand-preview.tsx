import { text, type Values } from '../app/forms.js';
import { useUi } from '../ui/context.js';

const DEFAULT_ACCENT = '#2450d8';

/** A sketch of the checkout with the branding that is being typed. A logo is not loaded, since it is on another host. */
export function BrandPreview({ values }: { readonly values: Values }) {
  const { t } = useUi();
  const color = text(values['accent_color']);
  const accent = /^#[0-9a-f]{6}$/i.test(color) ? color : DEFAULT_ACCENT;
  const name = text(values['display_name']) || t.branding.yours;
  const theme = text(values['theme']);
  return (
    <figure class="brand" {...(theme !== '' && { 'data-theme': theme })}>
      <figcaption class="fine quiet">{t.branding.preview}</figcaption>
      <div class="brand-card" aria-hidden="true">
        <div class="brand-top">
          <svg width="28" height="28" viewBox="0 0 28 28">
            <rect width="28" height="28" rx="8" fill={accent} />
            <text x="14" y="19" text-anchor="middle" fill={inkOn(accent)}>
              {[...name][0]?.toLocaleUpperCase()}
            </text>
          </svg>
          <bdi>{name}</bdi>
        </div>
        <strong>{t.branding.buy}</strong>
        <svg class="brand-button" viewBox="0 0 240 40" preserveAspectRatio="none">
          <rect width="240" height="40" rx="8" fill={accent} />
          <text x="120" y="25" text-anchor="middle" fill={inkOn(accent)}>
            {t.branding.pay}
          </text>
        </svg>
      </div>
    </figure>
  );
}

/** Black or white, whichever is easier to read on the colour. */
function inkOn(color: string): string {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
  return red * 0.299 + green * 0.587 + blue * 0.114 > 150 ? '#111a24' : '#ffffff';
}
