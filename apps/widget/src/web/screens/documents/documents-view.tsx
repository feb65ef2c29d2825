import { useEffect, useMemo, useState } from 'preact/hooks';
import type { ComponentChildren } from 'preact';
import type { Documents, Picture } from '../../app/screen.js';
import { QuietButton, SubmitButton } from '../../ui/buttons.js';
import type { ViewProps } from '../../ui/context.js';
import { CameraIcon, FileIcon, TickIcon } from '../../ui/icons.js';
import { StepForm } from '../../ui/step-form.js';
import type { DocumentSide } from '../../wire/types.js';
import { documentsText, type DocumentsText } from './documents-text.js';
import { DOCUMENT_BYTES_MAX, DOCUMENT_TYPES } from './document-file.js';
import { missingSides } from './documents-state.js';

/** Renders one card for each side. Pictures go to the payment provider and are not stored on the way. */
export function DocumentsView({ screen, settings, t, send }: ViewProps<Documents>) {
  const words = documentsText(settings.locale);
  const { isChecked, isSending, refusal, sides } = screen;
  const missing = isChecked ? missingSides(screen) : [];
  const errors = Object.fromEntries(missing.map((side) => [side, 'required' as const]));
  return (
    <StepForm title={words.title} errors={errors} refusal={refusal} t={t} send={send}>
      <p>{words.text}</p>
      <ul class="documents">
        {sides.map((side) => (
          <SideCard
            key={side}
            side={side}
            picture={screen.pictures[side] ?? null}
            isReceived={screen.received.includes(side)}
            isMissing={missing.includes(side)}
            isLocked={isSending}
            locale={settings.locale}
            words={words}
            tryAgain={t.tryAgain}
            send={send}
          />
        ))}
      </ul>
      <p class="hint">{words.formats(megabytes(DOCUMENT_BYTES_MAX, settings.locale))}</p>
      {settings.mode === 'test' && <p class="hint test-hint">{words.testHint}</p>}
      <SubmitButton isBusy={isSending} busyText={t.sending}>
        {words.submit}
      </SubmitButton>
      {!isSending && <QuietButton onClick={() => send({ type: 'cancelled' })}>{t.back}</QuietButton>}
    </StepForm>
  );
}

interface SideCardProps extends Pick<ViewProps<Documents>, 'send'> {
  readonly side: DocumentSide;
  readonly picture: Picture | null;
  /** Received by the service, possibly before the page was reloaded: then there is no picture to show. */
  readonly isReceived: boolean;
  readonly isMissing: boolean;
  readonly isLocked: boolean;
  readonly locale: string;
  readonly words: DocumentsText;
  readonly tryAgain: string;
}

function SideCard({ side, picture, isReceived, isMissing, isLocked, locale, words, tryAgain, send }: SideCardProps) {
  const isThere = picture === null ? isReceived : picture.status === 'sent';
  const isOnItsWay = picture?.status === 'sending';
  const error = picture?.status === 'failed' ? errorText(picture, words, locale) : isMissing ? words.missing : null;
  const errorId = error === null ? undefined : `error-${side}`;
  return (
    <li class={`document ${error === null ? '' : 'document-invalid'}`}>
      <Thumbnail file={picture?.file ?? null} label={words.sides[side]} />
      <div class="document-what">
        <h2 id={`side-${side}`}>{words.sides[side]}</h2>
        <p class="hint" role="status">
          {isThere ? (
            <span class="document-there">
              <TickIcon /> {words.received}
            </span>
          ) : isOnItsWay ? (
            words.sending
          ) : (
            words.hints[side]
          )}
        </p>
      </div>
      {isOnItsWay && <progress aria-labelledby={`side-${side}`} max={1} value={picture.share} />}
      {error !== null && (
        <p class="field-error" id={errorId} role="alert">
          {error}
        </p>
      )}
      {!isOnItsWay && !isLocked && (
        <div class="document-actions">
          {picture?.status === 'failed' && mayRetry(picture) && (
            <button
              type="button"
              class="button button-document"
              onClick={() => send({ type: 'retried_picture', side })}
            >
              {tryAgain}
            </button>
          )}
          {hasCamera() && !isThere && (
            <FileButton side={side} isCamera errorId={errorId} send={send}>
              <CameraIcon /> {words.takePhoto}
            </FileButton>
          )}
          <FileButton side={side} errorId={errorId} send={send}>
            {isThere ? words.replace : words.chooseFile}
          </FileButton>
          {picture?.status === 'failed' && (
            <button
              type="button"
              class="button button-document"
              onClick={() => send({ type: 'removed_picture', side })}
            >
              {words.remove}
            </button>
          )}
        </div>
      )}
    </li>
  );
}

interface FileButtonProps extends Pick<SideCardProps, 'side' | 'send'> {
  readonly isCamera?: boolean;
  readonly errorId: string | undefined;
  readonly children: ComponentChildren;
}

/** A file input inside its label: the input has the focus and the accessible name, the label is the visible button. */
function FileButton({ side, isCamera = false, errorId, send, children }: FileButtonProps) {
  return (
    // Stops Enter from submitting the step, so that it opens the file dialog.
    <label class="button button-document" onKeyDown={(event) => event.stopPropagation()}>
      {children}
      <input
        type="file"
        class="unseen"
        accept={(isCamera ? DOCUMENT_TYPES.filter((type) => type.startsWith('image/')) : DOCUMENT_TYPES).join()}
        {...(isCamera ? { capture: side === 'selfie' ? ('user' as const) : ('environment' as const) } : {})}
        aria-describedby={[`side-${side}`, errorId ?? ''].join(' ').trim()}
        aria-invalid={errorId !== undefined}
        onChange={({ currentTarget }) => {
          const file = currentTarget.files?.[0];
          // Reset, so that choosing the same file again fires a change event.
          currentTarget.value = '';
          if (file !== undefined) send({ type: 'chose_picture', side, file });
        }}
      />
    </label>
  );
}

function Thumbnail({ file, label }: { readonly file: File | null; readonly label: string }) {
  const url = useMemo(
    () => (file === null || !file.type.startsWith('image/') ? null : URL.createObjectURL(file)),
    [file],
  );
  const [unreadable, setUnreadable] = useState<string | null>(null);
  useEffect(() => () => (url === null ? undefined : URL.revokeObjectURL(url)), [url]);
  const isShown = url !== null && url !== unreadable;
  return (
    <div class="document-picture">
      {isShown ? (
        <img src={url} alt={label} onError={() => setUnreadable(url)} />
      ) : (
        <FileIcon isBlank={file === null} />
      )}
    </div>
  );
}

/** Whether to offer the camera. On other devices `capture` opens the same file dialog. */
function hasCamera(): boolean {
  return matchMedia('(pointer: coarse)').matches;
}

/** Whether a retry can help. A file refused for its type or size would be refused again. */
function mayRetry({ refusal }: Picture): boolean {
  return !['body_too_large', 'unsupported_media_type', 'validation_failed'].includes(refusal?.code ?? '');
}

function errorText({ file, refusal }: Picture, words: DocumentsText, locale: string): string {
  switch (refusal?.code) {
    case 'body_too_large':
      return words.tooLarge(megabytes(file.size, locale), megabytes(DOCUMENT_BYTES_MAX, locale));
    case 'unsupported_media_type':
    case 'validation_failed':
      return words.wrongType;
    case 'unreachable':
      return words.cutOff;
    default:
      return words.notTaken;
  }
}

function megabytes(bytes: number, locale: string): string {
  const unit = { style: 'unit', unit: 'megabyte', maximumFractionDigits: 1 } as const;
  return new Intl.NumberFormat(locale, unit).format(bytes / (1024 * 1024));
}
