export type Flow = 'on_ramp' | 'off_ramp' | 'swap';
export type Situation =
  | 'ordinary'
  | 'declined'
  | 'secure'
  | 'saved_card'
  | 'identity'
  | 'documents'
  | 'bank_transfer'
  | 'refund'
  | 'slow'
  | 'offline'
  | 'unavailable'
  | 'expired';

/** A requirement of a situation on the providers. `sandbox`: magic amounts and cards that only the sandbox has. */
export type Ability = 'card' | 'bank_transfer' | 'saved_card' | 'sandbox';
