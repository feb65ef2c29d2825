import { useEffect, useRef, useState } from 'preact/hooks';
import type { Messages } from '../i18n/en.js';
import { Sheet } from './sheet.js';

/** The interval between scans of the camera image. */
const LOOK_MS = 200;

/** Part of the Shape Detection API, for which TypeScript has no types. */
declare class BarcodeDetector {
  constructor(options: { readonly formats: readonly string[] });
  detect(source: HTMLVideoElement): Promise<readonly { readonly rawValue: string }[]>;
}

interface ScanSheetProps {
  readonly t: Messages;
  readonly onFound: (text: string) => void;
  readonly onClose: () => void;
}

/** Reads a QR code with the camera. The image stays on the device, and the camera stops when the sheet is closed. */
export function ScanSheet({ t, onFound, onClose }: ScanSheetProps) {
  const video = useRef<HTMLVideoElement>(null);
  const [isRefused, setRefused] = useState(false);
  useEffect(() => {
    const closed = new AbortController();
    scan(video, closed.signal)
      .then((text) => text !== null && onFound(text))
      .catch(() => setRefused(true));
    return () => closed.abort();
  }, []);
  return (
    <Sheet title={t.scan} t={t} onClose={onClose}>
      {!isRefused && <video ref={video} class="camera" muted playsInline />}
      <p class={isRefused ? 'notice' : 'hint'} role="status">
        {isRefused ? t.scanRefused : t.scanHint}
      </p>
    </Sheet>
  );
}

/** Returns the text of the first code found; null if the sheet is closed first. Rejects if no camera can be used. */
async function scan(video: { readonly current: HTMLVideoElement | null }, closed: AbortSignal): Promise<string | null> {
  const stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: 'environment' } });
  const stop = (): void => stream.getTracks().forEach((track) => track.stop());
  closed.addEventListener('abort', stop);
  const picture = video.current;
  if (closed.aborted || picture === null) return (stop(), null);
  try {
    picture.srcObject = stream;
    await picture.play();
    const detector = new BarcodeDetector({ formats: ['qr_code'] });
    while (!closed.aborted) {
      const [code] = await detector.detect(picture);
      if (code !== undefined) return code.rawValue;
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
    return null;
  } finally {
    stop();
  }
}
