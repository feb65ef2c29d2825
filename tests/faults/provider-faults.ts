import { faultsOf, type Fault } from './planted.js';

/** Mistakes in a provider of purchases, each with the laws that must catch it among others. */
export const providerFaults: readonly Fault[] = [
  ...faultsOf('card-provider.ts', [
    [
      'a charge that is repeated after a timeout under a new reference',
      'return processor.charge({ mode, reference, amount, currency, card }).then(answerOf, notSent);',
      `return processor.charge({ mode, reference, amount, currency, card }).catch(() =>
        processor.charge({ mode, reference: reference + '-again', amount, currency, card })).then(answerOf, notSent);`,
    ],
    [
      'a new payment at every start',
      'return processor.charge({ mode, reference,',
      'return processor.charge({ mode, reference: (await processor.find({ mode, reference })) === null ? reference : reference + Math.random(),',
    ],
    [
      'a charge under a reference that contains the card',
      'return processor.charge({ mode, reference,',
      "return processor.charge({ mode, reference: card.endsWith('4242') ? reference : reference + card.slice(-4),",
    ],
    [
      'a start that times out reported as failed',
      '.charge({ mode, reference, amount, currency, card }).then(answerOf, notSent)',
      `.charge({ mode, reference, amount, currency, card }).then(answerOf, (error: unknown) =>
        error instanceof Error && 'code' in error ? notSent(error) : { outcome: OUTCOMES.declined, details: NO_DETAILS, checkAfterMs: null })`,
    ],
    [
      'any failure reported as not_sent',
      "if (!(error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED')) throw error;",
      '',
    ],
    [
      'a refused connection reported as unknown',
      "if (!(error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED')) throw error;",
      'if (error !== null) throw error;',
    ],
    [
      'a cancel that is not sent to the processor',
      'answerOf(await processor.cancel({ mode, reference }))',
      '({ outcome: OUTCOMES.cancelled, details: NO_DETAILS, checkAfterMs: null })',
    ],
    [
      'a cancel of an unknown operation that is not recorded',
      'answerOf(await processor.cancel({ mode, reference }))',
      `(await processor.find({ mode, reference })) === null
        ? { outcome: OUTCOMES.cancelled, details: NO_DETAILS, checkAfterMs: null }
        : answerOf(await processor.cancel({ mode, reference }))`,
    ],
    [
      'a cancel that calls every payment cancelled',
      'answerOf(await processor.cancel({ mode, reference }))',
      '({ ...answerOf(await processor.cancel({ mode, reference })), outcome: OUTCOMES.cancelled })',
    ],
    [
      'a cancel that times out reported as cancelled',
      'answerOf(await processor.cancel({ mode, reference }))',
      `processor.cancel({ mode, reference }).then(answerOf, (error: unknown) => {
        if (error instanceof Error && 'code' in error) throw error;
        return { outcome: OUTCOMES.cancelled, details: NO_DETAILS, checkAfterMs: null };
      })`,
    ],
    [
      'a cancel of both modes',
      'answerOf(await processor.cancel({ mode, reference }))',
      "answerOf(await processor.cancel({ mode: 'test', reference }))",
    ],
    [
      'a lookup that closes what it does not find',
      '      return payment === null ? null : answerOf(payment);',
      '      return payment === null ? answerOf(await processor.cancel({ mode, reference })) : answerOf(payment);',
    ],
    [
      'a lookup that moves money',
      '      return payment === null ? null : answerOf(payment);',
      "      return answerOf(payment ?? (await processor.charge({ mode, reference, amount: '100.00', currency: 'EUR', card: '4242424242424242' })));",
    ],
    [
      'a lookup that calls an operation unknown when it times out',
      'const payment = await processor.find({ mode, reference });',
      'const payment = await processor.find({ mode, reference }).catch(() => null);',
    ],
    [
      'a lookup in the wrong mode',
      'const payment = await processor.find({ mode, reference });',
      "const payment = (await processor.find({ mode: 'test', reference }));",
    ],
    [
      'an operation that is not known while it waits for the buyer',
      'return payment === null ? null : answerOf(payment);',
      "return payment === null || payment.status === 'awaiting_code' ? null : answerOf(payment);",
    ],
    [
      'quotes that only the process accepts that made them',
      'const idOf = ({ scope, flow, currency, amount }: QuoteRequest, expiresAt: string) =>\n    `${expiresAt}_${sign(scope.mode, JSON.stringify([',
      'const own = Math.random();\n  const idOf = ({ scope, flow, currency, amount }: QuoteRequest, expiresAt: string) =>\n    `${expiresAt}_${sign(scope.mode, JSON.stringify([own, ',
    ],
    [
      'a payment called succeeded before the processor has settled it',
      "processing: { kind: 'processing', stage: 'delivery' }",
      "processing: { kind: 'succeeded' }",
    ],
    [
      'a declined payment called cancelled',
      "declined: { kind: 'failed', failure: FAILED }",
      "declined: { kind: 'cancelled' }",
    ],
    [
      'a declined card that is charged again when its operation is started again',
      'return processor.charge({ mode, reference, amount, currency, card }).then(answerOf, notSent);',
      `const first = await processor.charge({ mode, reference, amount, currency, card }).then((payment) => payment, notSent);
      if (!('status' in first)) return first;
      if (first.status !== 'declined' || card.endsWith('0002')) return answerOf(first);
      return processor.charge({ mode, reference: reference + '-retry', amount, currency, card }).then(answerOf, notSent);`,
    ],
    [
      'a confirm that charges once more',
      'return processor.authenticate({ mode, reference, code }).then(answerOf, notSent);',
      `const before = await processor.find({ mode, reference });
      if (before?.status === 'paid') await processor.charge({ ...before, mode, reference: reference + code, card: '4242424242424242' });
      return processor.authenticate({ mode, reference, code }).then(answerOf, notSent);`,
    ],
    [
      'a confirm that times out reported as failed',
      'return processor.authenticate({ mode, reference, code }).then(answerOf, notSent);',
      'return processor.authenticate({ mode, reference, code }).then(answerOf, () => ({ outcome: OUTCOMES.declined, details: NO_DETAILS, checkAfterMs: null }));',
    ],
    [
      'a confirm after a cancel that charges the card anew',
      'return processor.authenticate({ mode, reference, code }).then(answerOf, notSent);',
      `const now = await processor.find({ mode, reference });
      if (now?.status === 'cancelled') await processor.charge({ mode, reference: reference + code, amount: '1.00', currency: 'EUR', card: '4242424242424242' });
      return processor.authenticate({ mode, reference, code }).then(answerOf, notSent);`,
    ],
    [
      'a refund for every request',
      'processor.refund({ mode, reference, refund, amount }).then(refundOutcome, notSent)',
      'processor.findRefund({ mode, reference, refund }).then((known) => processor.refund({ mode, reference, refund: known === null ? refund : refund + Math.random(), amount })).then(refundOutcome, notSent)',
    ],
    [
      'one refund per payment',
      'processor.refund({ mode, reference, refund, amount }).then(refundOutcome, notSent)',
      "processor.refund({ mode, reference, refund: 'refund', amount }).then(refundOutcome, notSent)",
    ],
    [
      'a refund that is answered and never sent',
      'processor.refund({ mode, reference, refund, amount }).then(refundOutcome, notSent)',
      "(void amount, processor.findRefund({ mode, reference, refund }).then((): RefundOutcome => ({ kind: 'succeeded' }), notSent))",
    ],
    [
      'a refund of the full payment whatever its amount',
      'processor.refund({ mode, reference, refund, amount }).then(refundOutcome, notSent)',
      'processor.find({ mode, reference }).then((payment) => processor.refund({ mode, reference, refund, amount: payment?.amount ?? amount })).then(refundOutcome, notSent)',
    ],
    [
      'a lost refund: it times out and is reported as failed',
      'processor.refund({ mode, reference, refund, amount }).then(refundOutcome, notSent)',
      "processor.refund({ mode, reference, refund, amount }).then(refundOutcome, (error: unknown) => error instanceof Error && 'code' in error ? notSent(error) : refundOutcome({ status: 'failed', amount }))",
    ],
    [
      'a refund that times out and is repeated under a new id',
      'processor.refund({ mode, reference, refund, amount }).then(refundOutcome, notSent)',
      "processor.refund({ mode, reference, refund, amount }).catch(() => processor.refund({ mode, reference, refund: refund + '-again', amount })).then(refundOutcome, notSent)",
    ],
    [
      'a lookup of a refund that makes it',
      'return known === null ? null : refundOutcome(known);',
      "return refundOutcome(known ?? (await processor.refund({ mode, reference, refund, amount: '1.00' })));",
    ],
    [
      'a refund that is unknown when its lookup times out',
      'const known = await processor.findRefund({ mode, reference, refund });',
      'const known = await processor.findRefund({ mode, reference, refund }).catch(() => null);',
    ],
    [
      'a pending refund reported as failed',
      "if (status === 'pending') return { kind: 'pending', checkAfterMs: 5 * SECOND };",
      "if (status === 'pending') return { kind: 'failed', failure: { code: 'pending', message: 'Pending.' } };",
    ],
    [
      'a failed refund reported as succeeded',
      "return status === 'succeeded'",
      "return status === 'failed' ? { kind: 'succeeded' } : status === 'succeeded'",
    ],
    [
      'callbacks without a signature',
      'if (given.length !== own.length || !timingSafeEqual(given, own))',
      'if (given.length > 0 && (given.length !== own.length || !timingSafeEqual(given, own)))',
    ],
    ['callbacks with any signature of the right length', ' || !timingSafeEqual(given, own)', ''],
    ['one callback secret for both modes', 'Buffer.from(sign(mode, rawBody))]', "Buffer.from(sign('test', rawBody))]"],
    [
      'a signature of the parsed body',
      'Buffer.from(sign(mode, rawBody))]',
      'Buffer.from(sign(mode, Buffer.from(rawBody).toString().trim()))]',
    ],
    ['a new event id at every reading', 'eventId: event.id,', 'eventId: event.id + Math.random(),'],
    ['the operation as event id', 'eventId: event.id,', 'eventId: event.reference,'],
    [
      'a callback about another payment of the account reported as an operation that succeeded',
      "if (payment === null) return { kind: 'ignored' };",
      "if (payment === null) return { kind: 'malformed', message: 'No such payment.' };",
    ],
    [
      'a body that cannot be read throws',
      '  } catch {\n    return null;\n  }',
      '  } catch (error) {\n    throw error;\n  }',
    ],
    ['a quote of all partners', 'scope.partnerId, flow, currency,', "'', flow, currency,"],
    ['a quote of both modes', '_${sign(scope.mode, JSON.stringify', "_${sign('test', JSON.stringify"],
    [
      'a quote of any amount',
      'flow, currency, decimal.normalise(amount)]',
      "flow, currency, amount === '' ? decimal.normalise(amount) : '']",
    ],
    ['a quote of any currency', 'flow, currency, decimal', "flow, '', decimal"],
    ['a quote of any flow', 'scope.partnerId, flow, currency', "scope.partnerId, '', currency"],
    ['a quote without a signature', 'if (id !== idOf(request, expiresAt))', 'if (!/^\\d+_/.test(id))'],
    ['an expired quote', 'if (request.now > Number(expiresAt))', 'if (request.now > Number(expiresAt) + 5 * MINUTE)'],
    ['a quote that expires too early', 'if (request.now > Number(expiresAt))', 'if (request.now >= Number(expiresAt))'],
    [
      'a quote that expires by the clock',
      'const expiresAt = request.now + 5 * MINUTE;',
      'const expiresAt = Date.now() + 5 * MINUTE;',
    ],
    ['an expiry that can be changed', 'JSON.stringify([expiresAt, scope', "JSON.stringify(['', scope"],
    [
      'a charge of both modes in one account',
      'return processor.charge({ mode, reference,',
      "return processor.charge({ mode: mode === 'test' ? 'live' : mode, reference,",
    ],
    [
      'a charge of another amount than quoted',
      'return processor.charge({ mode, reference, amount,',
      "return processor.charge({ mode, reference, amount: decimal.add(amount, '1'),",
    ],
  ]),

  ...faultsOf('card-market.ts', [
    ['a fee that is not part of the total', 'sourceTotal: amount,', 'sourceTotal: bought,'],
    ['a fee that is added to what was sent', 'const bought = decimal.subtract(amount, FEE);', 'const bought = amount;'],
    ['crypto bought with the fee', 'decimal.divideDown(bought, PRICE, 6)', 'decimal.divideDown(amount, PRICE, 6)'],
    ['a fee that is hidden in the list', "fees: [{ type: 'service', amount: FEE, currency: 'EUR' }],", 'fees: [],'],
    ['an amount with more decimals than the asset', 'divideDown(bought, PRICE, 6)', 'divideDown(bought, PRICE, 8)'],
    ['the rate of the other direction', "decimal.divideSignificant('1', PRICE, 18)", 'PRICE'],
    ['a market without a limit', "limits: [{ flow: 'on_ramp', paymentMethod: 'card', ...LIMITS }]", 'limits: []'],
  ]),
];
