import { expect, it } from 'vitest';
import type { FileRead, HttpRequest, UnreadBody } from '../../../src/http/message.js';
import { FileIntake, sentMediaType } from '../../../src/http/pipeline/file-intake.js';
import type { SentFile } from '../../../src/http/schema/request.js';

const PDF: FileRead = { kind: 'bytes', bytes: new TextEncoder().encode('%PDF-1.7') };

/** Lets all pending work proceed. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

const patiently = <Value>(work: Promise<Value>): Promise<Value | null> => work;

/** A file that arrives when the test says so. */
function onItsWay() {
  let arrive: (read: FileRead) => void = () => undefined;
  const signals: (AbortSignal | undefined)[] = [];
  const arriving = new Promise<FileRead>((resolve) => {
    arrive = resolve;
  });
  const body: UnreadBody = {
    kind: 'unread',
    read: (_, signal) => {
      signals.push(signal);
      return arriving;
    },
  };
  const headers = { 'content-type': 'application/pdf' };
  const request: HttpRequest = { method: 'POST', path: '/', query: '', headers, body, clientIp: '' };
  return { request, arrive, signals };
}

/** Sends files, each for another side unless `of` is given. */
function sender(intake = new FileIntake()) {
  let count = 0;
  return (
    partnerId: string,
    { of = `side ${(count += 1)}`, within = patiently, use = async (_: SentFile) => 'used' } = {},
  ) => {
    const { request, ...file } = onItsWay();
    const answer = intake.take({ request, mediaType: 'application/pdf', partnerId, of, within }, use);
    return { ...file, answer, code: async () => (await answer)._unsafeUnwrapErr().code };
  };
}

const many = <Item>(count: number, make: () => Item): Item[] => Array.from({ length: count }, make);

it('accepts eight files per partner and sixteen in total, until one of them has been used', async () => {
  const send = sender();
  const [first] = many(8, () => send('one'));
  const more = send('one');
  expect(await more.code()).toBe('service_unavailable');
  expect(more.signals).toEqual([]);
  many(8, () => send('other'));
  expect(await send('third').code()).toBe('service_unavailable');
  first?.arrive(PDF);
  expect((await first?.answer)?._unsafeUnwrap()).toBe('used');
  await settle();
  const next = send('third');
  next.arrive(PDF);
  expect((await next.answer).isOk()).toBe(true);
});

it('a file that takes too long, or whose client disconnects, is a request_timeout, is no longer read and releases its slot', async () => {
  const send = sender();
  const late = many(8, () => send('one', { within: async () => null }));
  for (const { code, signals } of late) {
    expect(await code()).toBe('request_timeout');
    expect(signals.map((signal) => signal?.aborted)).toEqual([true]);
  }
  const left = send('one');
  left.arrive({ kind: 'aborted' });
  expect(await left.code()).toBe('request_timeout');
});

it('uploading a side again stops the reading of the earlier file, and of no other', async () => {
  const send = sender();
  const files = many(7, () => send('one'));
  const earlier = send('one', { of: 'front' });
  const stopped = earlier.code();
  await settle();
  const again = send('one', { of: 'front' });
  expect(await stopped).toBe('request_timeout');
  expect(files.flatMap(({ signals }) => signals.map((signal) => signal?.aborted))).toEqual(many(7, () => false));
  again.arrive(PDF);
  expect((await again.answer).isOk()).toBe(true);
});

it('a file keeps its slot until it has been handed over, even after the request has ended', async () => {
  const send = sender();
  let finish: (value: unknown) => void = () => undefined;
  const handOver = new Promise((resolve) => {
    finish = resolve;
  });
  const files = many(8, () => send('one', { use: async ({ heldBy }) => (heldBy(handOver), 'late') }));
  for (const { arrive, answer } of files) {
    arrive(PDF);
    expect((await answer)._unsafeUnwrap()).toBe('late');
  }
  await settle();
  expect(await send('one').code()).toBe('service_unavailable');
  finish(true);
  await settle();
  const next = send('one');
  next.arrive(PDF);
  expect((await next.answer).isOk()).toBe(true);
});

it('releases its slot if its use fails', async () => {
  const send = sender();
  const failing = async (): Promise<string> => {
    throw new Error('boom');
  };
  for (let nth = 0; nth < 9; nth += 1) {
    const { arrive, answer } = send('one', { use: failing });
    arrive(PDF);
    await expect(answer).rejects.toThrow('boom');
    await settle();
  }
});

it('refuses other types of files', () => {
  const { request } = onItsWay();
  const svg = { ...request, headers: { 'content-type': 'image/svg+xml' } };
  expect(sentMediaType(svg)._unsafeUnwrapErr().code).toBe('unsupported_media_type');
});
