import { useEffect, useState } from 'preact/hooks';
import { laterPart } from '../host/later-part.js';

interface QrCodeProps {
  readonly text: string;
  readonly label: string;
}

interface Drawn {
  readonly size: number;
  readonly path: string;
}

const encoder = laterPart(() => import('lean-qr'));
const RETRY_MS = 3_000;

/** The quiet zone around the code in modules; scanners need it to find the code. */
const MARGIN = 2;

/** A QR code, drawn as one path of squares. The encoder is loaded when the first code is shown. */
export function QrCode({ text, label }: QrCodeProps) {
  const [drawn, setDrawn] = useState<Drawn | null>(null);
  useEffect(() => {
    let isGone = false;
    let retry: number | undefined;
    const load = (): void => {
      encoder.load().then(
        ({ generate }) => {
          if (!isGone) setDrawn(draw(generate(text)));
        },
        () => {
          if (!isGone) retry = window.setTimeout(load, RETRY_MS);
        },
      );
    };
    load();
    return () => {
      isGone = true;
      clearTimeout(retry);
    };
  }, [text]);
  const size = (drawn?.size ?? 33) + 2 * MARGIN;
  return (
    <svg
      class="qr"
      viewBox={`${-MARGIN} ${-MARGIN} ${size} ${size}`}
      role="img"
      aria-label={label}
      shape-rendering="crispEdges"
    >
      {drawn !== null && <path d={drawn.path} fill="currentColor" />}
    </svg>
  );
}

function draw(code: { readonly size: number; get(x: number, y: number): boolean }): Drawn {
  let path = '';
  for (let y = 0; y < code.size; y += 1)
    for (let x = 0; x < code.size; x += 1) if (code.get(x, y)) path += `M${x} ${y}h1v1h-1z`;
  return { size: code.size, path };
}
