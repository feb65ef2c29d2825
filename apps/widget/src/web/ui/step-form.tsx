import type { ComponentChildren, JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { FieldErrors } from '../app/screen.js';
import type { Send } from '../app/run.js';
import type { Messages } from '../i18n/en.js';
import type { Refusal } from '../wire/refusal.js';
import { Heading } from './heading.js';
import { Refused } from './refused.js';

interface StepFormProps {
  readonly title: string;
  /** Tabs above show the title, so it is only announced. */
  readonly hasTabs?: boolean;
  readonly errors: FieldErrors<string>;
  /** Announced in place of the number of errors. */
  readonly errorText?: string | null;
  readonly refusal: Refusal | null;
  readonly t: Messages;
  readonly send: Send;
  readonly children: ComponentChildren;
}

/**
 * The form of a step. If it is submitted with errors or the service returns some, they are announced and the first invalid field gets the
 * focus.
 */
export function StepForm({
  title,
  hasTabs = false,
  errors,
  errorText = null,
  refusal,
  t,
  send,
  children,
}: StepFormProps) {
  const form = useRef<HTMLFormElement>(null);
  const count = Object.keys(errors).length;
  const sent = useRef(count);
  const submit = (event: Event): void => {
    event.preventDefault();
    sent.current += 1;
    send({ type: 'submitted', at: Date.now() });
  };
  // A frame without `allow-forms` fires no submit event, so clicks on the submit button and Enter are handled directly.
  const onClick = (event: JSX.TargetedMouseEvent<HTMLFormElement>): void => {
    if (event.target instanceof Element && event.target.closest('[type=submit]') !== null) submit(event);
  };
  const onKeyDown = (event: JSX.TargetedKeyboardEvent<HTMLFormElement>): void => {
    if (event.key !== 'Enter' || event.isComposing || event.defaultPrevented) return;
    if (event.target instanceof HTMLInputElement) submit(event);
  };
  useLayoutEffect(() => {
    if (sent.current === 0 || count === 0) return;
    sent.current = 0;
    form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  });
  return (
    <form ref={form} class="step" noValidate onSubmit={submit} onClick={onClick} onKeyDown={onKeyDown}>
      <Heading isUnseen={hasTabs}>{title}</Heading>
      <div role="alert" class="alerts">
        {count > 0 && <p class="notice notice-bad">{errorText ?? t.errorSummary(count)}</p>}
        {refusal !== null && <Refused refusal={refusal} t={t} />}
      </div>
      {children}
    </form>
  );
}
