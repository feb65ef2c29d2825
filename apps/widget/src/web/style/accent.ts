interface Accent {
  /** A background for text. */
  readonly fill: string;
  /** The colour of text on `fill`, with a contrast of at least 4.5 : 1. */
  readonly onFill: string;
  /** The colour of rings, borders and marks, with a contrast of at least 4.5 : 1 against the surface. */
  readonly line: string;
}

type Rgb = readonly [number, number, number];

/** The backgrounds of the page, as in `tokens.css`. */
const SURFACES = { light: [255, 255, 255], dark: [31, 40, 51] } as const satisfies Record<string, Rgb>;

const DARK_TEXT: Rgb = [11, 18, 32];
const WHITE: Rgb = [255, 255, 255];
const BLACK: Rgb = [0, 0, 0];

export const CONTRAST_MIN = 4.5;

/** Derives readable colours from a partner's accent colour; null unless it is `#rrggbb`. */
export function accentOf(color: string | null, theme: 'light' | 'dark'): Accent | null {
  const rgb = color === null ? null : readRgb(color);
  if (rgb === null) return null;
  const onFill =
    contrast(WHITE, rgb) >= CONTRAST_MIN ? WHITE : contrast(DARK_TEXT, rgb) >= CONTRAST_MIN ? DARK_TEXT : BLACK;
  return { fill: hexOf(rgb), onFill: hexOf(onFill), line: hexOf(readableOn(SURFACES[theme], rgb)) };
}

/** Mixes in as little black (on light surfaces) or white (on dark ones) as the contrast requires. */
function readableOn(surface: Rgb, color: Rgb): Rgb {
  const towards = contrast(surface, BLACK) > contrast(surface, WHITE) ? BLACK : WHITE;
  for (let percent = 0; percent < 100; percent += 5) {
    const mixed = mix(color, towards, percent / 100);
    if (contrast(mixed, surface) >= CONTRAST_MIN) return mixed;
  }
  return towards;
}

/** The contrast ratio of WCAG 2.2. */
export function contrast(one: Rgb, other: Rgb): number {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return ((light ?? 0) + 0.05) / ((dark ?? 0) + 0.05);
}

export function readRgb(color: string): Rgb | null {
  const parts = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(color);
  if (parts === null) return null;
  const [red, green, blue] = parts.slice(1).map((part) => Number.parseInt(part, 16));
  return [red ?? 0, green ?? 0, blue ?? 0];
}

function luminance([red, green, blue]: Rgb): number {
  const linear = (channel: number): number => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

function mix([a, b, c]: Rgb, [x, y, z]: Rgb, share: number): Rgb {
  const between = (from: number, to: number): number => Math.round(from + (to - from) * share);
  return [between(a, x), between(b, y), between(c, z)];
}

function hexOf(rgb: Rgb): string {
  return `#${rgb.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
}
