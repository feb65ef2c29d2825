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

/** What a situation may need of the providers. `sandbox` means magic amounts and cards that only the sandbox knows. */
export type Ability = 'card' | 'bank_transfer' | 'saved_card' | 'refund' | 'sandbox';
