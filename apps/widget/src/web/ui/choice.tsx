import type { ChoiceName } from '../app/event.js';
import type { Send } from '../app/run.js';

interface ChoiceProps {
  readonly of: ChoiceName;
  readonly label: string;
  /** With fewer than two options nothing is rendered. */
  readonly options: readonly { readonly value: string; readonly text: string }[];
  readonly chosen: string | null;
  readonly send: Send;
  readonly isHalf?: boolean;
}

/** A native select. */
export function Choice({ of, label, options, chosen, send, isHalf = false }: ChoiceProps) {
  if (options.length < 2) return null;
  return (
    <div class={`field${isHalf ? '' : ' field-wide'}`}>
      <label for={of}>{label}</label>
      <span class="select">
        <select
          id={of}
          name={of}
          value={chosen ?? undefined}
          onChange={({ currentTarget }) => send({ type: 'chose', of, value: currentTarget.value })}
        >
          {options.map(({ value, text }) => (
            <option key={value} value={value} selected={value === chosen}>
              {text}
            </option>
          ))}
        </select>
      </span>
    </div>
  );
}
