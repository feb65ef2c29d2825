import type { Bootstrapped } from './bootstrap.js';
import type { GateRampConfig, Theme } from './config.js';
import { textOf } from './fields.js';

/** What a page may wish for where the session leaves it open. */
export interface PagePreferences {
  readonly amount?: string | undefined;
  readonly currency?: string | undefined;
  readonly targetToken?: string | undefined;
  readonly targetNetwork?: string | undefined;
}

/** What the checkout is sent once it listens. The page's wishes come first; the checkout itself holds to what the session has bound. */
export function initConfig(
  config: GateRampConfig,
  opened: Bootstrapped,
  { theme, ...wishes }: PagePreferences & { readonly theme?: Theme | undefined },
): Readonly<Record<string, unknown>> {
  const { session, embedToken, available, unavailableReason, detail, branding, capabilities } = opened;
  const bound = (field: string): string | null => textOf(session?.[field]);
  return {
    embedToken,
    available,
    unavailableReason,
    unavailableDetail: detail,
    flow: config.flow ?? opened.flow,
    theme: theme ?? null,
    amount: wishes.amount ?? bound('amount'),
    currency: wishes.currency ?? bound('currency'),
    targetToken: wishes.targetToken ?? config.targetToken ?? bound('target_token'),
    targetNetwork: wishes.targetNetwork ?? config.targetNetwork ?? bound('target_network'),
    returnUrl: config.returnUrl ?? bound('return_url'),
    locale: localeOf(config),
    branding,
    capabilities: capabilities ?? null,
  };
}

/** As the page asks for it, or as the page itself is written in. */
export function localeOf({ locale }: GateRampConfig): string | null {
  return (locale ?? document.documentElement.lang) || null;
}
