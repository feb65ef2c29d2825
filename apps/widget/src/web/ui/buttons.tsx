import type { ComponentChildren } from 'preact';

interface ButtonProps {
  readonly children: ComponentChildren;
  readonly onClick: () => void;
}

/** The submit button of a step. While busy it stays focusable and shows `busyText`. */
export function SubmitButton({
  isBusy,
  busyText,
  isOff = false,
  children,
}: {
  readonly isBusy: boolean;
  readonly busyText: string;
  readonly isOff?: boolean;
  readonly children: ComponentChildren;
}) {
  return (
    <button type="submit" class="button button-main" aria-disabled={isBusy || isOff}>
      {isBusy ? <span class="spinner" aria-hidden="true" /> : null}
      {isBusy ? busyText : children}
    </button>
  );
}

export function MainButton({ children, onClick }: ButtonProps) {
  return (
    <button type="button" class="button button-main" onClick={onClick}>
      {children}
    </button>
  );
}

export function QuietButton({ children, onClick }: ButtonProps) {
  return (
    <button type="button" class="button button-quiet" onClick={onClick}>
      {children}
    </button>
  );
}
