import type { Intent, NextAction } from '../../domain/intent/intent.js';
import { intentResource } from '../../domain/intent/intent-resource.js';
import { type Scope, scopeOf } from '../../domain/mode.js';
import type { Outcome } from '../../domain/purchase/outcome.js';
import type { Transaction } from '../../domain/transaction/transaction.js';
import type { Engine } from '../engine.js';

/** Encrypts a component's secret before anything is decided or stored. */
export function withSealedSecret({ crypto }: Engine, scope: Scope, outcome: Outcome): Outcome {
  if (outcome.kind !== 'requires_action') return outcome;
  return { ...outcome, nextAction: mapSecret(outcome.nextAction, (plain) => crypto.sealSecret(plain, scope)) };
}

/** Renders an intent for its buyer, with the component's secret decrypted. */
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
