import { MountError } from './errors.js';

/** Reports when the page's Content-Security-Policy blocks the API or the checkout, until the signal aborts. */
export function watchPolicy(
  origins: readonly string[],
  signal: AbortSignal,
  onBlocked: (error: MountError) => void,
): void {
  document.addEventListener(
    'securitypolicyviolation',
    ({ blockedURI, disposition, effectiveDirective }) => {
      const origin = origins.find((one) => blockedURI.startsWith(one));
      if (origin === undefined || disposition !== 'enforce') return;
      onBlocked(
        new MountError('blocked', {
          what: `The Content-Security-Policy of this page blocks ${origin}.`,
          hint: `Add ${origin} to its ${effectiveDirective}.`,
        }),
      );
    },
    { signal },
  );
}
