import { expect, it } from 'vitest';
import type { FileRead, HttpRequest, UnreadBody } from '../../../src/http/message.js';
import { FileIntake } from '../../../src/http/pipeline/read-body.js';

const PDF = new TextEncoder().encode('%PDF-1.7');

/** A file that comes when its test says so. */
function onItsWay(type = 'application/pdf') {
  let arrive: (read: FileRead) => void = () => undefined;
  let reads = 0;
  const arriving = new Promise<FileRead>((resolve) => {
    arrive = resolve;
  });
  const body: UnreadBody = {
    kind: 'unread',
    read: () => {
      reads += 1;
      return arriving;
    },
  };
  const headers = { 'content-type': type };
  const request: HttpRequest = { method: 'POST', path: '/', query: '', headers, body, clientIp: '' };
  return { request, arrive, reads: () => reads };
}

const patiently = <Value>(work: Promise<Value>): Promise<Value | null> => work;

it('takes in sixteen files at once and refuses more, until one of them is there', async () => {
  const intake = new FileIntake();
  const files = Array.from({ length: 16 }, () => onItsWay());
  const taken = files.map(({ request }) => intake.read(request, patiently));
  const late = onItsWay();
  expect((await intake.read(late.request, patiently))._unsafeUnwrapErr().code).toBe('service_unavailable');
  expect(late.reads()).toBe(0);
  files[0]?.arrive({ kind: 'bytes', bytes: PDF });
  expect((await taken[0])?._unsafeUnwrap()).toEqual({ mediaType: 'application/pdf', bytes: PDF });
  const next = intake.read(late.request, patiently);
  late.arrive({ kind: 'bytes', bytes: PDF });
  expect((await next).isOk()).toBe(true);
});

it('a file that takes too long, or whose sender leaves, is a request_timeout; it keeps its place until it stops coming', async () => {
  const intake = new FileIntake();
  const slow = Array.from({ length: 16 }, () => onItsWay());
  for (const { request } of slow)
    expect((await intake.read(request, async () => null))._unsafeUnwrapErr().code).toBe('request_timeout');
  const other = onItsWay();
  expect((await intake.read(other.request, patiently))._unsafeUnwrapErr().code).toBe('service_unavailable');
  slow[0]?.arrive({ kind: 'aborted' });
  await Promise.resolve();
  const read = intake.read(other.request, patiently);
  other.arrive({ kind: 'aborted' });
  expect((await read)._unsafeUnwrapErr().code).toBe('request_timeout');
});

it('reads no byte of a file whose type it does not take', async () => {
  const file = onItsWay('image/svg+xml');
  expect((await new FileIntake().read(file.request, patiently))._unsafeUnwrapErr().code).toBe('unsupported_media_type');
  expect(file.reads()).toBe(0);
});
