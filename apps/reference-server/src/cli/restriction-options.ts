import {
  brokenLimitRule,
  FLOWS,
  PAYMENT_METHODS,
  RESTRICTION_LISTS,
  type RestrictedLimit,
  type Restrictions,
} from '@gateramp/core/domain';
import { InvalidArgumentError, type Command } from 'commander';
import { restrictionsOf } from '../seed/seed-file.js';

/** Options that set a partner's restrictions; omitted ones are unchanged, and "none" removes a list. */
export interface GivenRestrictions {
  readonly restrictFlows?: List<'flows'>;
  readonly restrictPaymentMethods?: List<'paymentMethods'>;
  readonly restrictAssets?: List<'assets'>;
  readonly restrictCountries?: List<'countries'>;
  readonly restrictLimits?: List<'limits'>;
}

type List<Name extends keyof Restrictions> = NonNullable<Restrictions[Name]> | 'none';

export function withRestrictions(command: Command): Command {
  return command
    .option(
      '--restrict-flows <flows|none>',
      'the only flows that it may use, comma-separated',
      listReader((text) => FLOWS.find((flow) => flow === text), FLOWS.join(', ')),
    )
    .option(
      '--restrict-payment-methods <methods|none>',
      'the only payment methods that it may use, comma-separated',
      listReader((text) => PAYMENT_METHODS.find((method) => method === text), PAYMENT_METHODS.join(', ')),
    )
    .option(
      '--restrict-assets <assets|none>',
      'the only assets it may use, such as "USDC,ETH", or "USDC@base" on one network',
      listReader((text) => (RESTRICTION_LISTS.assets.has(text) ? text : undefined), 'assets such as USDC or USDC@base'),
    )
    .option(
      '--restrict-countries <countries|none>',
      'the only countries it may sell to, such as "DE,US"',
      listReader(
        (text) => (RESTRICTION_LISTS.countries.has(text.toUpperCase()) ? text.toUpperCase() : undefined),
        'country codes of two letters',
      ),
    )
    .option(
      '--restrict-limits <limits|none>',
      'narrower amounts, such as "EUR:10-500" or "on_ramp/card/EUR:10-500"; either bound may be left out',
      listReader(readLimit, 'limits such as EUR:10-500, EUR:-500 or on_ramp/card/EUR:10-500'),
    );
}

/** Parses a comma-separated list; a repeated option adds to it. */
function listReader<Item>(read: (text: string) => Item | undefined, expected: string) {
  return (value: string, before: readonly Item[] | 'none' = []): readonly Item[] | 'none' => {
    if (value === 'none') return value;
    const items = value.split(',').map((text) => {
      const item = read(text.trim());
      if (item === undefined) throw new InvalidArgumentError(`Pass ${expected}, separated by commas, or "none".`);
      return item;
    });
    return before === 'none' ? items : [...before, ...items];
  };
}

const LIMIT =
  /^(?:(?<flow>[a-z]+_ramp|swap)\/)?(?:(?<method>[a-z_]+)\/)?(?<currency>[A-Za-z]{3}):(?<min>[\d.]*)-(?<max>[\d.]*)$/;

function readLimit(text: string): RestrictedLimit | undefined {
  const { flow, method, currency, min, max } = LIMIT.exec(text)?.groups ?? {};
  const [minAmount, maxAmount] = [min, max].map((bound) => (bound === undefined || bound === '' ? null : bound));
  if (currency === undefined || minAmount === undefined || maxAmount === undefined) return undefined;
  const knownFlow = FLOWS.find((known) => known === flow) ?? null;
  const paymentMethod = PAYMENT_METHODS.find((known) => known === method) ?? null;
  if ((flow !== undefined && knownFlow === null) || (method !== undefined && paymentMethod === null)) return undefined;
  const limit = { flow: knownFlow, paymentMethod, currency: currency.toUpperCase(), minAmount, maxAmount };
  return brokenLimitRule(limit) === null ? limit : undefined;
}

/** The updated restrictions; null if none are left. */
export function changedRestrictions(
  before: Restrictions | null | undefined,
  given: GivenRestrictions,
): Restrictions | null {
  const { restrictFlows, restrictPaymentMethods, restrictAssets, restrictCountries, restrictLimits } = given;
  return restrictionsOf({
    flows: replaced(before?.flows, restrictFlows),
    paymentMethods: replaced(before?.paymentMethods, restrictPaymentMethods),
    assets: replaced(before?.assets, restrictAssets),
    countries: replaced(before?.countries, restrictCountries),
    limits: replaced(before?.limits, restrictLimits),
  });
}

function replaced<Items>(before: Items | undefined, given: Items | 'none' | undefined): Items | null | undefined {
  return given === undefined ? before : given === 'none' ? null : given;
}
