/** Request fields with the contract's rules and messages. */
export {
  amount,
  country,
  currency,
  fitsItsCurrency,
  network,
  oneOf,
  optional,
  pattern,
  text,
  token,
  wholeNumber,
} from '../http/schema/fields.js';
