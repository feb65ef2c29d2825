import type { ComponentChildren, JSX } from 'preact';
import type { FieldError } from '../app/screen.js';
import { caretPosition } from '../forms/caret.js';
import type { Send } from '../app/run.js';
import type { Messages } from '../i18n/en.js';
import { errorText } from './error-text.js';

export interface FieldProps {
  readonly name: string;
  readonly label: string;
  readonly value: string;
  readonly error: FieldError | undefined;
  /** Replaces the default text of the error with a more specific one. */
  readonly errorText?: string | null | undefined;
  readonly hint?: string;
  readonly t: Messages;
  readonly send: Send;
  /** Takes half of the row, where there is room for it. */
  readonly isHalf?: boolean;
  /** Formats the typed text, given the previous text. */
  readonly layOut?: (text: string, before: string) => string;
  /** Content at the end of the input. */
  readonly end?: ComponentChildren;
  readonly input?: JSX.InputHTMLAttributes<HTMLInputElement>;
}

/** A labelled input whose hint and error are linked to it by `aria-describedby`. */
export function Field({
  name,
  label,
  value,
  error,
  errorText: ownText = null,
  hint,
  t,
  send,
  isHalf = false,
  layOut,
  end,
  input,
}: FieldProps) {
  const described = [hint === undefined ? null : `${name}-hint`, error === undefined ? null : `${name}-error`];
  const onText = (text: string): void => send({ type: 'typed', field: name, value: text });
  const onWhole = (input: HTMLInputElement): void => {
    const { value: typed, selectionStart: caret } = input;
    const laidOut = layOut === undefined ? typed : layOut(typed, value);
    if (laidOut !== typed) {
      input.value = laidOut;
      const at = caretPosition(laidOut, { typed, caret: caret ?? typed.length });
      input.setSelectionRange(at, at);
    }
    onText(laidOut);
  };
  // In lower case, since Preact would listen to an event called `CompositionEnd`.
  const composed = {
    oncompositionend: (event: JSX.TargetedCompositionEvent<HTMLInputElement>) => onWhole(event.currentTarget),
  };
  return (
    <div class={`field${isHalf ? '' : ' field-wide'}${error === undefined ? '' : ' field-invalid'}`}>
      <label for={name}>{label}</label>
      <span class="field-box">
        <input
          id={name}
          name={name}
          value={value}
          // Text is formatted only once it is composed, since a change would end the composition or double its characters.
          onInput={({ currentTarget, isComposing }) =>
            isComposing ? onText(currentTarget.value) : onWhole(currentTarget)
          }
          {...composed}
          // Password managers may fire nothing else.
          onChange={({ currentTarget }) => currentTarget.value !== value && onWhole(currentTarget)}
          onBlur={() => send({ type: 'left_field', field: name })}
          aria-invalid={error !== undefined}
          aria-describedby={described.filter((id) => id !== null).join(' ') || undefined}
          aria-required
          {...input}
        />
        {end}
      </span>
      {error !== undefined && (
        <p id={`${name}-error`} class="field-error">
          {ownText ?? errorText(error, t)}
        </p>
      )}
      {hint !== undefined && (
        <p id={`${name}-hint`} class="hint">
          {hint}
        </p>
      )}
    </div>
  );
}
