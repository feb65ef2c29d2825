import type { SavedForm } from '../app/saved-form.js';
import type { Asset, Step } from '../app/screen.js';
import { FLOWS } from '../app/terms-of.js';
import type { PaymentMethod } from '../wire/types.js';

const METHODS: readonly PaymentMethod[] = ['card', 'bank_transfer', 'crypto'];

const STEPS: readonly Step[] = ['order', 'wallet', 'payment'];

const keyOf = (sessionId: string): string => `gate:${sessionId}`;

/**
 * Stores the form across reloads in session storage. It ends with the tab and is not shared with other tabs or, in a frame, with the widget
 * on other shops' pages. If the browser denies storage, nothing is kept.
 */
export function keepDraft(sessionId: string, kept: SavedForm | null): void {
  try {
    if (kept === null) sessionStorage.removeItem(keyOf(sessionId));
    else sessionStorage.setItem(keyOf(sessionId), JSON.stringify(kept));
  } catch {
    // Storage is blocked in this frame, or full.
  }
}

/** The stored form of a session; null if there is none, or if this version cannot read it. */
export function keptDraft(sessionId: string): SavedForm | null {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(keyOf(sessionId)) ?? 'null');
    return readKept(kept);
  } catch {
    return null;
  }
}

export function readKept(value: unknown): SavedForm | null {
  if (typeof value !== 'object' || value === null) return null;
  const { step, flow, method, source, target, wallet, refund }: Partial<Record<keyof SavedForm, unknown>> = value;
  const knownFlow = FLOWS.find((one) => one === flow);
  if (knownFlow === undefined || typeof wallet !== 'string' || typeof refund !== 'string') return null;
  return {
    step: STEPS.find((one) => one === step) ?? 'order',
    flow: knownFlow,
    method: METHODS.find((one) => one === method) ?? null,
    source: readAsset(source),
    target: readAsset(target),
    wallet,
    refund,
  };
}

function readAsset(value: unknown): Asset | null {
  if (typeof value !== 'object' || value === null) return null;
  const { token, network }: Partial<Record<keyof Asset, unknown>> = value;
  return typeof token === 'string' && typeof network === 'string' ? { token, network } : null;
}
