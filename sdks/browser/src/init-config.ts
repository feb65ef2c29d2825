import type { Bootstrapped } from './bootstrap.js';
import type { GateRampConfig, Theme } from './config.js';
import { textOf } from './fields.js';

/** Preferences of the page for whatever the session leaves open. */
export interface PagePreferences {
  readonly amount?: string | undefined;
  readonly currency?: string | undefined;
  readonly targetToken?: string | undefined;
  readonly targetNetwork?: string | undefined;
}

/**
 * The configuration that the checkout receives once it is ready. The page's preferences come first; the
 * checkout enforces the session's bound values.
 */
export function initConfig(
  config: GateRampConfig,
  opened: Bootstrapped,
  { theme, ...preferences }: PagePreferences & { readonly theme?: Theme | undefined },
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
    amount: preferences.amount ?? bound('amount'),
    currency: preferences.currency ?? bound('currency'),
    targetToken: preferences.targetToken ?? config.targetToken ?? bound('target_token'),
    targetNetwork: preferences.targetNetwork ?? config.targetNetwork ?? bound('target_network'),
    returnUrl: config.returnUrl ?? bound('return_url'),
    locale: localeOf(config),
    height: config.height ?? null,
    branding,
    capabilities: capabilities ?? null,
  };
}

/** The configured locale, or the language of the page. */
export function localeOf({ locale }: GateRampConfig): string | null {
  return (locale ?? document.documentElement.lang) || null;
}
