import { useEffect, useRef, useState } from 'preact/hooks';
import type { Component } from '../../app/screen.js';
import { QuietButton } from '../../ui/buttons.js';
import type { TermedProps } from '../../ui/context.js';
import { StepForm } from '../../ui/step-form.js';
import type { ProviderComponent } from '../../wire/types.js';

const HEIGHT_FIRST = 160;
const HEIGHT_MAX = 900;

/** The provider's component in its own frame. Input there never passes through this page. */
export function ComponentView({ screen, terms, t, send }: TermedProps<Component>) {
  const action = screen.intent.next_action;
  if (action?.type !== 'provider_component') return null;
  const { isLate, isSending, refusal } = screen;
  const frameUrl = terms.components.find(({ provider }) => provider === action.provider)?.frame_url ?? null;
  return (
    <StepForm title={t.componentTitle} errors={{}} refusal={refusal} t={t} send={send}>
      <div role="alert" class="alerts">
        {isLate && <p class="notice">{t.visitLate}</p>}
        {frameUrl === null && <p class="notice">{t.componentMissing}</p>}
      </div>
      {!isLate && frameUrl !== null && (
        <Slot action={action} url={frameUrl} title={t.componentTitle} onDone={() => send({ type: 'returned' })} />
      )}
      {isSending && (
        <p class="quiet" role="status">
          <span class="spinner" aria-hidden="true" /> {t.sending}
        </p>
      )}
      {!isSending && <QuietButton onClick={() => send({ type: 'cancelled' })}>{t.back}</QuietButton>}
    </StepForm>
  );
}

interface SlotProps {
  readonly action: ProviderComponent;
  readonly url: string;
  readonly title: string;
  readonly onDone: () => void;
}

/** The frame of the component. Exchanges messages only with that window and its origin. */
function Slot({ action, url, title, onDone }: SlotProps) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [height, setHeight] = useState(HEIGHT_FIRST);
  useEffect(() => {
    const { origin } = new URL(url);
    const hear = ({ source, origin: from, data }: MessageEvent<unknown>): void => {
      const inner = frame.current?.contentWindow ?? null;
      if (inner === null || source !== inner || from !== origin) return;
      const { type, payload } = messageOf(data);
      const { client_secret: clientSecret, public_key: publicKey } = action;
      if (type === 'COMPONENT_READY')
        inner.postMessage({ type: 'COMPONENT_INIT', payload: { clientSecret, publicKey } }, origin);
      if (type === 'COMPONENT_RESIZE') setHeight((before) => heightOf(payload) ?? before);
      if (type === 'COMPONENT_DONE') onDone();
    };
    addEventListener('message', hear);
    return () => removeEventListener('message', hear);
  }, [url, action.client_secret, action.public_key]);
  return <iframe ref={frame} class="slot" src={url} title={title} allow="payment" height={height} />;
}

function messageOf(data: unknown): { readonly type: unknown; readonly payload: unknown } {
  if (typeof data !== 'object' || data === null) return { type: null, payload: null };
  return { type: 'type' in data ? data.type : null, payload: 'payload' in data ? data.payload : null };
}

function heightOf(payload: unknown): number | null {
  if (typeof payload !== 'object' || payload === null || !('height' in payload)) return null;
  const { height } = payload;
  return typeof height === 'number' && height > 0 ? Math.min(Math.ceil(height), HEIGHT_MAX) : null;
}
