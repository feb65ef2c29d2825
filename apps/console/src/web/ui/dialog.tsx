import { useEffect, useRef } from 'preact/hooks';
import { scopeOf } from '../app/app.js';
import type { Field, Value } from '../app/form-spec.js';
import { fieldsOf, specOf } from '../app/forms.js';
import type { Form } from '../app/form.js';
import { count } from '../format/format.js';
import { BrandPreview } from '../screens/brand-preview.js';
import { useUi } from './context.js';
import { Icon } from './icons.js';
import { Copy, refusalText } from './parts.js';

/**
 * The form of a change as a dialog over the page; on a phone it fills the width. Escape and the close button close it; then focus returns
 * to the opener.
 */
export function FormDialog({ form }: { readonly form: Form }) {
  const { app, t, send } = useUi();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const opener = document.activeElement;
    dialog.current?.showModal();
    return () =>
      queueMicrotask(() => {
        const next = opener?.isConnected === true ? opener : document.querySelector('h1');
        if (next instanceof HTMLElement) next.focus();
      });
  }, []);
  const close = () => send({ type: 'closed_form' });
  const mode = scopeOf(app)?.mode ?? 'test';
  const { title, lead } = t.forms[form.name];
  return (
    <dialog
      ref={dialog}
      class="dialog"
      aria-labelledby="dialog-title"
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
    >
      <header class="dialog-top">
        <h2 id="dialog-title">{title}</h2>
        <button type="button" class="copy" aria-label={t.close} onClick={close}>
          <Icon name="cross" />
        </button>
      </header>
      {form.phase === 'done' ? (
        <Result form={form} onClose={close} />
      ) : (
        <form
          class="form"
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            send({ type: 'submitted' });
          }}
        >
          <p class="quiet">{lead}</p>
          {mode === 'live' && hasNote(form) && <p class="notice">{t.liveNote}</p>}
          {fieldsOf(form.name, mode)
            .filter(({ name }) => isShown(form, name))
            .map((field) => (
              <FieldInput key={field.name} field={field} form={form} />
            ))}
          {form.name === 'branding' && <BrandPreview values={form.values} />}
          <div role="alert">{form.refusal !== null && <p class="notice notice-bad">{errorOf(form, t)}</p>}</div>
          <Submit form={form} onClose={close} />
        </form>
      )}
    </dialog>
  );
}

const hasNote = ({ name }: Form): boolean => specOf(name).isRead !== true && specOf(name).hasReason !== false;

/** Restrictions exist for secret keys only. */
const isShown = ({ name, values }: Form, field: string): boolean =>
  name !== 'issue_key' || values['type'] !== 'publishable' || (field !== 'scopes' && field !== 'allowed_ips');

function errorOf({ refusal }: Form, t: ReturnType<typeof useUi>['t']): string {
  if (refusal === null) return '';
  return refusal.code === 'required'
    ? t.required(t.fields[refusal.message] ?? refusal.message)
    : refusalText(refusal, t);
}

function Submit({ form, onClose }: { readonly form: Form; readonly onClose: () => void }) {
  const { t, locale } = useUi();
  const found = foundIn(form);
  const total = count(locale, found);
  const isReady = form.phase !== 'previewed' || found > 0;
  return (
    <>
      {form.preview !== null && <Preview form={form} />}
      <div class="dialog-end">
        <button type="button" class="button" onClick={onClose}>
          {t.cancel}
        </button>
        <button
          type="submit"
          class={`button button-main ${specOf(form.name).isDanger === true ? 'button-bad' : ''}`}
          disabled={form.phase === 'sending' || !isReady}
        >
          {form.preview === null ? t.forms[form.name].submit : t.confirmReplay(total)}
        </button>
      </div>
    </>
  );
}

/** The number of deliveries that a replay would send. */
const foundIn = ({ preview }: Form): number => {
  const total = preview?.['total'];
  return typeof total === 'number' ? total : 0;
};

/** What a replay would send, by the type of the event. */
function Preview({ form }: { readonly form: Form }) {
  const { t, locale } = useUi();
  const byType = form.preview?.['by_event_type'];
  const rows = typeof byType === 'object' && byType !== null ? Object.entries(byType) : [];
  return (
    <div class="notice" role="status">
      <p>{t.preview(count(locale, foundIn(form)))}</p>
      {rows.map(([type, number]) => (
        <p key={type}>
          <code>{type}</code> {count(locale, Number(number))}
        </p>
      ))}
    </div>
  );
}

/** What is shown only once: a secret, a key or a link. */
function Result({ form, onClose }: { readonly form: Form; readonly onClose: () => void }) {
  const { t } = useUi();
  const field = specOf(form.name).shows ?? 'secret';
  const shown = form.result?.[field];
  const text = typeof shown === 'string' ? shown : '';
  if (form.name === 'check_signature') return <SignatureResult result={text} onClose={onClose} />;
  return (
    <div class="form">
      {specOf(form.name).isRead !== true && <p class="notice">{t.shownOnce}</p>}
      <pre class="secret" dir="ltr" tabIndex={0} aria-label={t.forms[form.name].title}>
        {text}
      </pre>
      <div class="dialog-end">
        <Copy text={text} label={t.copy} />
        <Download name={form.result?.['file_name']} text={text} />
        <button type="button" class="button button-main" onClick={onClose}>
          {t.done}
        </button>
      </div>
    </div>
  );
}

/** A link that saves the text as a file; absent if the result has no file name. */
function Download({ name, text }: { readonly name: unknown; readonly text: string }) {
  const { t } = useUi();
  if (typeof name !== 'string') return null;
  return (
    <a class="button" download={name} href={`data:application/json;charset=utf-8,${encodeURIComponent(text)}`}>
      {t.file.download}
    </a>
  );
}

function SignatureResult({ result, onClose }: { readonly result: string; readonly onClose: () => void }) {
  const { t } = useUi();
  return (
    <div class="form">
      <p class={`notice ${result === 'current' || result === 'previous' ? '' : 'notice-bad'}`} role="status">
        {t.attempts.signature[result] ?? result}
      </p>
      <div class="dialog-end">
        <button type="button" class="button button-main" onClick={onClose}>
          {t.done}
        </button>
      </div>
    </div>
  );
}

function FieldInput({ field, form }: { readonly field: Field; readonly form: Form }) {
  const { t, send } = useUi();
  const { name, kind, options = [], isRequired = false } = field;
  const value = form.values[name] ?? '';
  const id = `field-${name}`;
  const label = t.fields[name] ?? name;
  const change = (next: Value) => send({ type: 'changed_field', field: name, value: next });
  const optionText = (option: string): string => t.options[option] ?? t.roles[option] ?? option;
  const single = typeof value === 'string' ? value : '';
  if (kind === 'checks') {
    const checked = typeof value === 'string' ? [] : value;
    return (
      <fieldset class="checks">
        <legend>{label}</legend>
        {options.map((option) => (
          <label key={option}>
            <input
              type="checkbox"
              checked={checked.includes(option)}
              onChange={({ currentTarget }) =>
                change(currentTarget.checked ? [...checked, option] : checked.filter((one) => one !== option))
              }
            />
            <span dir="ltr">{optionText(option)}</span>
          </label>
        ))}
      </fieldset>
    );
  }
  return (
    <label class="field" htmlFor={id}>
      <span>{label}</span>
      {kind === 'select' && (
        <select id={id} value={single} onChange={({ currentTarget }) => change(currentTarget.value)}>
          {options.map((option) => (
            <option key={option} value={option}>
              {optionText(option)}
            </option>
          ))}
        </select>
      )}
      {kind === 'lines' && (
        <textarea
          id={id}
          rows={3}
          dir="ltr"
          spellcheck={false}
          value={typeof value === 'string' ? value : value.join('\n')}
          onInput={({ currentTarget }) => change(currentTarget.value)}
        />
      )}
      {kind !== 'select' && kind !== 'lines' && (
        <input
          id={id}
          type={INPUT_TYPES[kind]}
          dir={kind === 'text' ? 'auto' : 'ltr'}
          required={isRequired}
          autocomplete="off"
          value={single}
          onInput={({ currentTarget }) => change(currentTarget.value)}
        />
      )}
    </label>
  );
}

const INPUT_TYPES = { text: 'text', url: 'url', number: 'number', day: 'date', color: 'text' } as const;
