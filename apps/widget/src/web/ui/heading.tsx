import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

/** Whether the first step has been shown. The first heading takes no focus, so that it is not taken from the embedding page. */
let hasShown = false;

interface HeadingProps {
  readonly children: ComponentChildren;
  readonly isUnseen?: boolean;
}

/** The heading of a step. Where a step follows another, focus moves to it, so that screen readers announce it. */
export function Heading({ children, isUnseen = false }: HeadingProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => {
    if (hasShown) heading.current?.focus({ preventScroll: true });
    hasShown = true;
  }, []);
  return (
    <h1 ref={heading} tabIndex={-1} class={isUnseen ? 'unseen' : 'heading'}>
      {children}
    </h1>
  );
}
