import { useEffect, useRef, useState } from 'preact/hooks';
import { text, type Values } from '../app/form-spec.js';
import { useUi } from '../ui/context.js';

/** The first step of the checkout with the unsaved branding, in a frame of the checkout's own origin. */
export function BrandPreview({ values }: { readonly values: Values }) {
  const { app, t, locale } = useUi();
  const frame = useRef<HTMLIFrameElement>(null);
  const page = app.door.at === 'inside' ? app.door.me.features.checkout_preview : null;
  const url =
    page === null
      ? null
      : `${page}?locale=${locale}#${encodeURIComponent(JSON.stringify(look(values, t.branding.yours)))}`;
  const [first] = useState(url);
  const shown = useRef(url);
  // Replaced, because each new `src` would add an entry to the browser's history.
  useEffect(() => {
    if (url === null || url === shown.current) return;
    shown.current = url;
    frame.current?.contentWindow?.location.replace(url);
  }, [url]);
  if (first === null) return null;
  return (
    <figure class="brand">
      <figcaption class="fine quiet">{t.branding.preview}</figcaption>
      <iframe ref={frame} class="brand-frame" src={first} title={t.branding.preview} tabIndex={-1} />
    </figure>
  );
}

function look(values: Values, fallback: string): Readonly<Record<string, string | null>> {
  return {
    display_name: text(values['display_name']) || fallback,
    accent_color: text(values['accent_color']) || null,
    theme: text(values['theme']) || null,
    logo_url: text(values['logo_url']) || null,
  };
}
