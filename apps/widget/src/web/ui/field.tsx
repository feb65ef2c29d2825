import type { ComponentChildren, JSX } from 'preact';
import type { FieldError } from '../app/screen.js';
import { caretPosition } from '../forms/caret.js';
import type { Send } from '../app/run.js';
import type { Messages } from '../i18n/en.js';

export interface FieldProps {
  readonly name: string;
  readonly label: string;
  readonly value: string;
  readonly error: FieldError | undefined;
  /** Replaces the default text of the error with a more specific one. */
  readonly errorText?: string | null;
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
  errorText = null,
  hint,
  t,
  send,
  isHalf = false,
  layOut,
  end,
  input,
}: FieldProps) {
  const described = [hint === undefined ? null : `${name}-hint`, error === undefined ? null : `${name}-error`];
  const onInput = ({ currentTarget }: JSX.TargetedInputEvent<HTMLInputElement>): void => {
    const { value: typed, selectionStart: caret } = currentTarget;
    const laidOut = layOut === undefined ? typed : layOut(typed, value);
    if (laidOut !== typed) {
      currentTarget.value = laidOut;
      const at = caretPosition(laidOut, { typed, caret: caret ?? typed.length });
      currentTarget.setSelectionRange(at, at);
    }
    send({ type: 'typed', field: name, value: laidOut });
  };
  return (
    <div class={`field${isHalf ? '' : ' field-wide'}${error === undefined ? '' : ' field-invalid'}`}>
      <label for={name}>{label}</label>
      <span class="field-box">
        <input
          id={name}
          name={name}
          value={value}
          onInput={onInput}
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
          {errorText ?? t.errors[error]}
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
