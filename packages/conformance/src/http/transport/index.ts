import type { Law } from '../../law.js';
import type { HttpSubject } from '../subject.js';
import { bodyLaws } from './body-laws.js';
import { bodyOnTheWireLaws } from './body-on-the-wire-laws.js';
import { fileLaws } from './file-laws.js';
import { connectionLaws } from './connection-laws.js';
import { headerLaws } from './header-laws.js';
import { hostLaws } from './host-laws.js';
import { sameBytesLaws } from './same-bytes-laws.js';
import type { SocketSubject } from './socket-subject.js';
import { targetLaws } from './target-laws.js';
import { translationLaws } from './translation-laws.js';

export { serverSubject, type MountedServer, type SocketSubject } from './socket-subject.js';

/** Laws for every way of serving a gate, with or without sockets. */
export const httpTransportLaws: readonly Law<HttpSubject>[] = [
  ...sameBytesLaws,
  ...bodyLaws,
  ...targetLaws,
  ...headerLaws,
  ...hostLaws,
];

/** Laws that need a connection: framing, pipelining, clients that disconnect or never finish. */
export const httpSocketLaws: readonly Law<SocketSubject>[] = [
  ...bodyOnTheWireLaws,
  ...fileLaws,
  ...connectionLaws,
  ...translationLaws,
];
