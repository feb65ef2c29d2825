import { faultsOf, type Fault } from './planted.js';

/** A mistake in a provider, and the title of a law that must catch it. */
export interface ProviderFault extends Fault {
  readonly law: string;
}

/** Mistakes in the provider of `tests/embedding`, as `[title, law, of, instead]`. */
export const providerFaults: readonly ProviderFault[] = [
  ...providerFaultsOf('card-provider.ts', [
    [
      'a charge that is repeated after a timeout under a new reference',
      'start: a repeated one takes money once',
      'return processor.charge({ mode, reference, amount, currency, card }).then(answerOf, notSent);',
      `return processor.charge({ mode, reference, amount, currency, card }).catch(() =>
        processor.charge({ mode, reference: reference + '-again', amount, currency, card })).then(answerOf, notSent);`,
    ],
    [
      'a new payment at every start',
      'take money once when their start is repeated, before and after they have ended',
      'return processor.charge({ mode, reference,',
      'return processor.charge({ mode, reference: (await processor.find({ mode, reference })) === null ? reference : reference + Math.random(),',
    ],
    [
      'a charge under a reference that contains the card',
      'fail for good and move nothing, even if their operation is started again with other details',
      'return processor.charge({ mode, reference,',
      "return processor.charge({ mode, reference: card.endsWith('4242') ? reference : reference + card.slice(-4),",
    ],
    [
      'a start that times out reported as failed',
      'start: the answer is never not_sent or failed, and a lookup tells what happened',
      '.charge({ mode, reference, amount, currency, card }).then(answerOf, notSent)',
      `.charge({ mode, reference, amount, currency, card }).then(answerOf, (error: unknown) =>
        error instanceof Error && 'code' in error ? notSent(error) : { outcome: OUTCOMES.declined, details: NO_DETAILS, checkAfterMs: null })`,
    ],
    [
      'any failure reported as not_sent',
      'start: the answer is never not_sent or failed, and a lookup tells what happened',
      "if (!(error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED')) throw error;",
      '',
    ],
    [
      'a refused connection reported as unknown',
      "returns not_sent for a start whose connection is refused, and the provider's service never sees the operation",
      "if (!(error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED')) throw error;",
      'if (error !== null) throw error;',
    ],
    [
      'a cancel that is not sent to the processor',
      'take nothing after a cancel, whatever is confirmed or started then',
      'answerOf(await processor.cancel({ mode, reference }))',
      '({ outcome: OUTCOMES.cancelled, details: NO_DETAILS, checkAfterMs: null })',
    ],
    [
      'a cancel of an unknown operation that is not recorded',
      'take nothing when they are started after a cancel of an operation that the provider had never seen',
      'answerOf(await processor.cancel({ mode, reference }))',
      `(await processor.find({ mode, reference })) === null
        ? { outcome: OUTCOMES.cancelled, details: NO_DETAILS, checkAfterMs: null }
        : answerOf(await processor.cancel({ mode, reference }))`,
    ],
    [
      'a cancel that calls every payment cancelled',
      'keep their end when they are cancelled after it',
      'answerOf(await processor.cancel({ mode, reference }))',
      '({ ...answerOf(await processor.cancel({ mode, reference })), outcome: OUTCOMES.cancelled })',
    ],
    [
      'a cancel that times out reported as cancelled',
      'cancel: it throws or tells the truth, and so does a repeated one',
      'answerOf(await processor.cancel({ mode, reference }))',
      `processor.cancel({ mode, reference }).then(answerOf, (error: unknown) => {
        if (error instanceof Error && 'code' in error) throw error;
        return { outcome: OUTCOMES.cancelled, details: NO_DETAILS, checkAfterMs: null };
      })`,
    ],
    [
      'a cancel of both modes',
      'are separate: an operation that waits for its buyer cannot be cancelled or confirmed in the other mode',
      'answerOf(await processor.cancel({ mode, reference }))',
      "answerOf(await processor.cancel({ mode: 'test', reference }))",
    ],
    [
      'a lookup that closes what it does not find',
      'are unknown until they are started, and a lookup changes nothing',
      '      return payment === null ? null : answerOf(payment);',
      '      return payment === null ? answerOf(await processor.cancel({ mode, reference })) : answerOf(payment);',
    ],
    [
      'a lookup that moves money',
      'are unknown until they are started, and a lookup changes nothing',
      '      return payment === null ? null : answerOf(payment);',
      "      return answerOf(payment ?? (await processor.charge({ mode, reference, amount: '100.00', currency: 'EUR', card: '4242424242424242' })));",
    ],
    [
      'a lookup that calls an operation unknown when it times out',
      'lookup: a known operation is never unknown or ended by it',
      'const payment = await processor.find({ mode, reference });',
      'const payment = await processor.find({ mode, reference }).catch(() => null);',
    ],
    [
      'a lookup in the wrong mode',
      'are separate: an operation cannot be found, cancelled or refunded in the other mode',
      'const payment = await processor.find({ mode, reference });',
      "const payment = (await processor.find({ mode: 'test', reference }));",
    ],
    [
      'an operation that is not known while it waits for the buyer',
      'are required until the buyer has done them, and take nothing before',
      'return payment === null ? null : answerOf(payment);',
      "return payment === null || payment.status === 'awaiting_code' ? null : answerOf(payment);",
    ],
    [
      'quotes that only the process accepts that made them',
      "accept each other's quotes",
      'const idOf = ({ scope, flow, currency, amount }: QuoteRequest, expiresAt: string) =>\n    `${expiresAt}_${sign(scope.mode, JSON.stringify([',
      'const own = Math.random();\n  const idOf = ({ scope, flow, currency, amount }: QuoteRequest, expiresAt: string) =>\n    `${expiresAt}_${sign(scope.mode, JSON.stringify([own, ',
    ],
    [
      'a payment called succeeded before the processor has settled it',
      'give an amount back once, however often and at once they are requested',
      "processing: { kind: 'processing', stage: 'delivery' }",
      "processing: { kind: 'succeeded' }",
    ],
    [
      'a declined payment called cancelled',
      'fail for good and move nothing, even if their operation is started again with other details',
      "declined: { kind: 'failed', failure: FAILED }",
      "declined: { kind: 'cancelled' }",
    ],
    [
      'a declined card that is charged again when its operation is started again',
      'fail for good and move nothing, even if their operation is started again with other details',
      'return processor.charge({ mode, reference, amount, currency, card }).then(answerOf, notSent);',
      `const first = await processor.charge({ mode, reference, amount, currency, card }).then((payment) => payment, notSent);
      if (!('status' in first)) return first;
      if (first.status !== 'declined' || card.endsWith('0002')) return answerOf(first);
      return processor.charge({ mode, reference: reference + '-retry', amount, currency, card }).then(answerOf, notSent);`,
    ],
    [
      'a confirm that charges once more',
      'take money once when their confirmation is repeated, or sent many times at once',
      'return processor.authenticate({ mode, reference, code }).then(answerOf, notSent);',
      `const before = await processor.find({ mode, reference });
      if (before?.status === 'paid') await processor.charge({ ...before, mode, reference: reference + code, card: '4242424242424242' });
      return processor.authenticate({ mode, reference, code }).then(answerOf, notSent);`,
    ],
    [
      'a confirm that times out reported as failed',
      'confirm: it throws or tells the truth, and the payment takes money once',
      'return processor.authenticate({ mode, reference, code }).then(answerOf, notSent);',
      'return processor.authenticate({ mode, reference, code }).then(answerOf, () => ({ outcome: OUTCOMES.declined, details: NO_DETAILS, checkAfterMs: null }));',
    ],
    [
      'a confirm after a cancel that charges the card anew',
      'take nothing after a cancel, whatever is confirmed or started then',
      'return processor.authenticate({ mode, reference, code }).then(answerOf, notSent);',
      `const now = await processor.find({ mode, reference });
      if (now?.status === 'cancelled') await processor.charge({ mode, reference: reference + code, amount: '1.00', currency: 'EUR', card: '4242424242424242' });
      return processor.authenticate({ mode, reference, code }).then(answerOf, notSent);`,
    ],
    [
      'a refund for every request',
      'give an amount back once, however often and at once they are requested',
      'processor.refund({ mode, reference, refund, amount }).then(refundOutcome, notSent)',
      'processor.findRefund({ mode, reference, refund }).then((known) => processor.refund({ mode, reference, refund: known === null ? refund : refund + Math.random(), amount })).then(refundOutcome, notSent)',
    ],
    [
      'one refund per payment',
      'are of one payment: they never use the money of another',
      'processor.refund({ mode, reference, refund, amount }).then(refundOutcome, notSent)',
      "processor.refund({ mode, reference, refund: 'refund', amount }).then(refundOutcome, notSent)",
    ],
    [
      'a refund that is answered and never sent',
      'give an amount back once, however often and at once they are requested',
      'processor.refund({ mode, reference, refund, amount }).then(refundOutcome, notSent)',
      "(void amount, processor.findRefund({ mode, reference, refund }).then((): RefundOutcome => ({ kind: 'succeeded' }), notSent))",
    ],
    [
      'a refund of the full payment whatever its amount',
      'give an amount back once, however often and at once they are requested',
      'processor.refund({ mode, reference, refund, amount }).then(refundOutcome, notSent)',
      'processor.find({ mode, reference }).then((payment) => processor.refund({ mode, reference, refund, amount: payment?.amount ?? amount })).then(refundOutcome, notSent)',
    ],
    [
      'a lost refund: it times out and is reported as failed',
      'refund: it throws or tells the truth, is found by a lookup, and moves once',
      'processor.refund({ mode, reference, refund, amount }).then(refundOutcome, notSent)',
      "processor.refund({ mode, reference, refund, amount }).then(refundOutcome, (error: unknown) => error instanceof Error && 'code' in error ? notSent(error) : refundOutcome({ status: 'failed', amount }))",
    ],
    [
      'a refund that times out and is repeated under a new id',
      'refund: it throws or tells the truth, is found by a lookup, and moves once',
      'processor.refund({ mode, reference, refund, amount }).then(refundOutcome, notSent)',
      "processor.refund({ mode, reference, refund, amount }).catch(() => processor.refund({ mode, reference, refund: refund + '-again', amount })).then(refundOutcome, notSent)",
    ],
    [
      'a lookup of a refund that makes it',
      'move nothing when they are only looked up',
      'return known === null ? null : refundOutcome(known);',
      "return refundOutcome(known ?? (await processor.refund({ mode, reference, refund, amount: '1.00' })));",
    ],
    [
      'a refund that is unknown when its lookup times out',
      'lookup of a refund: a known refund is never unknown or failed by it',
      'const known = await processor.findRefund({ mode, reference, refund });',
      'const known = await processor.findRefund({ mode, reference, refund }).catch(() => null);',
    ],
    [
      'a pending refund reported as failed',
      'give an amount back once, however often and at once they are requested',
      "if (status === 'pending') return { kind: 'pending', checkAfterMs: 5 * SECOND };",
      "if (status === 'pending') return { kind: 'failed', failure: { code: 'pending', message: 'Pending.' } };",
    ],
    [
      'a failed refund reported as succeeded',
      'fail without moving money for payments that were not paid',
      "return status === 'succeeded'",
      "return status === 'failed' ? { kind: 'succeeded' } : status === 'succeeded'",
    ],
    [
      'callbacks without a signature',
      'are refused without a signature, or with one of other bytes, and then change nothing',
      'if (given.length !== own.length || !timingSafeEqual(given, own))',
      'if (given.length > 0 && (given.length !== own.length || !timingSafeEqual(given, own)))',
    ],
    [
      'callbacks with any signature of the right length',
      'are refused without a signature, or with one of other bytes, and then change nothing',
      ' || !timingSafeEqual(given, own)',
      '',
    ],
    [
      'one callback secret for both modes',
      'are signed for their mode: the signature of test mode reports nothing in live mode',
      'Buffer.from(sign(mode, rawBody))]',
      "Buffer.from(sign('test', rawBody))]",
    ],
    [
      'a signature of the parsed body',
      'are refused without a signature, or with one of other bytes, and then change nothing',
      'Buffer.from(sign(mode, rawBody))]',
      'Buffer.from(sign(mode, Buffer.from(rawBody).toString().trim()))]',
    ],
    [
      'a new event id at every reading',
      'have the same event id when they are repeated, and move nothing',
      'eventId: event.id,',
      'eventId: event.id + Math.random(),',
    ],
    [
      'the operation as event id',
      'of different events have different event ids',
      'eventId: event.id,',
      'eventId: event.reference,',
    ],
    [
      'a callback about a payment of another system refused as malformed',
      'about a payment of another system report no operation of this gate, and are acknowledged',
      "if (payment === null) return { kind: 'ignored' };",
      "if (payment === null) return { kind: 'malformed', message: 'No such payment.' };",
    ],
    [
      'a body that cannot be read throws',
      'that are signed but have no meaning are malformed or ignored, and never throw',
      '  } catch {\n    return null;\n  }',
      '  } catch (error) {\n    throw error;\n  }',
    ],
    [
      'a quote of all partners',
      'belong to one partner and mode',
      'scope.partnerId, flow, currency,',
      "'', flow, currency,",
    ],
    [
      'a quote of both modes',
      'belong to one partner and mode',
      '_${sign(scope.mode, JSON.stringify',
      "_${sign('test', JSON.stringify",
    ],
    [
      'a quote of any amount',
      'are for one flow, currency and amount',
      'flow, currency, decimal.normalise(amount)]',
      "flow, currency, amount === '' ? decimal.normalise(amount) : '']",
    ],
    [
      'a quote of any currency',
      'are for one flow, currency and amount',
      'flow, currency, decimal',
      "flow, '', decimal",
    ],
    [
      'a quote of any flow',
      'are for one flow, currency and amount',
      'scope.partnerId, flow, currency',
      "scope.partnerId, '', currency",
    ],
    [
      'a quote without a signature',
      'cannot be invented: an unknown or changed id is not found',
      'if (id !== idOf(request, expiresAt))',
      'if (!/^\\d+_/.test(id))',
    ],
    [
      'an expired quote',
      'can be used until their expiry, and not a millisecond longer',
      'if (request.now > Number(expiresAt))',
      'if (request.now > Number(expiresAt) + 5 * MINUTE)',
    ],
    [
      'a quote that expires too early',
      'can be used until their expiry, and not a millisecond longer',
      'if (request.now > Number(expiresAt))',
      'if (request.now >= Number(expiresAt))',
    ],
    [
      'a quote that expires by the clock',
      'expire by the time of the request, not by a clock',
      'const expiresAt = request.now + 5 * MINUTE;',
      'const expiresAt = Date.now() + 5 * MINUTE;',
    ],
    [
      'an expiry that can be changed',
      'cannot be invented: an unknown or changed id is not found',
      'JSON.stringify([expiresAt, scope',
      "JSON.stringify(['', scope",
    ],
    [
      'a charge of both modes in one account',
      'take the amount of the order once, and report the money as it moved',
      'return processor.charge({ mode, reference,',
      "return processor.charge({ mode: mode === 'test' ? 'live' : mode, reference,",
    ],
    [
      'a charge of another amount than quoted',
      'are what a payment then takes',
      'return processor.charge({ mode, reference, amount,',
      "return processor.charge({ mode, reference, amount: decimal.add(amount, '1'),",
    ],
  ]),

  ...providerFaultsOf('card-market.ts', [
    [
      'a fee that is not part of the total',
      'add up: what is sent is what buys plus the fees, and buys at the rate shown',
      'sourceTotal: amount,',
      'sourceTotal: bought,',
    ],
    [
      'a fee that is added to what was sent',
      'add up: what is sent is what buys plus the fees, and buys at the rate shown',
      'const bought = decimal.subtract(amount, FEE);',
      'const bought = amount;',
    ],
    [
      'crypto bought with the fee',
      'add up: what is sent is what buys plus the fees, and buys at the rate shown',
      'decimal.divideDown(bought, PRICE, 6)',
      'decimal.divideDown(amount, PRICE, 6)',
    ],
    [
      'a fee that is hidden in the list',
      'add up: what is sent is what buys plus the fees, and buys at the rate shown',
      "fees: [{ type: 'service', amount: FEE, currency: 'EUR' }],",
      'fees: [],',
    ],
    [
      'an amount with more decimals than the asset',
      'have no more decimals than their currency and asset',
      'divideDown(bought, PRICE, 6)',
      'divideDown(bought, PRICE, 8)',
    ],
    [
      'the rate of the other direction',
      'add up: what is sent is what buys plus the fees, and buys at the rate shown',
      "decimal.divideSignificant('1', PRICE, 18)",
      'PRICE',
    ],
    [
      'a market without a limit',
      'are offered: the capabilities list their market, and `resolve` fills in their terms and moves nothing',
      "limits: [{ flow: 'on_ramp', paymentMethod: 'card', ...LIMITS }]",
      'limits: []',
    ],
  ]),
];

function providerFaultsOf(
  file: string,
  faults: readonly (readonly [title: string, law: string, of: string, instead: string])[],
): readonly ProviderFault[] {
  return faults.flatMap(([title, law, of, instead]) =>
    faultsOf(file, [[title, of, instead]]).map((fault) => ({ ...fault, law })),
  );
}
