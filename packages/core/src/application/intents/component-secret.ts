import type { Intent, NextAction } from '../../domain/intent/intent.js';
import { intentResource } from '../../domain/intent/intent-resource.js';
import { type Scope, scopeOf } from '../../domain/mode.js';
import type { Outcome } from '../../domain/purchase/outcome.js';
import type { Transaction } from '../../domain/transaction/transaction.js';
import type { Engine } from '../engine.js';

/** The outcome as it may be stored: what opens a component is sealed before anything is decided on it. */
export function withSealedSecret({ crypto }: Engine, scope: Scope, outcome: Outcome): Outcome {
  if (outcome.kind !== 'requires_action') return outcome;
  return { ...outcome, nextAction: mapSecret(outcome.nextAction, (plain) => crypto.sealSecret(plain, scope)) };
}

/** Renders an intent for its buyer, the secret of its component opened. */
export function renderIntent({ crypto }: Engine) {
  return (intent: Intent, transaction: Transaction | null = null) => {
    const { nextAction } = intent;
    if (nextAction === null) return intentResource(intent, transaction);
    const open = (sealed: string): string => crypto.openSecret(sealed, scopeOf(intent));
    return intentResource({ ...intent, nextAction: mapSecret(nextAction, open) }, transaction);
  };
}

function mapSecret(action: NextAction, map: (secret: string) => string): NextAction {
  return action.type === 'provider_component' ? { ...action, clientSecret: map(action.clientSecret) } : action;
}
