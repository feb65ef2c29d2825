import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface TestCertificate {
  /** The file of the certificate, which also is its own authority. */
  readonly certificate: string;
  readonly key: string;
  readonly remove: () => void;
}

/** A certificate for `127.0.0.1`, or for `name` instead, that no system trusts. */
export function createCertificate(name = 'IP:127.0.0.1'): TestCertificate {
  const folder = mkdtempSync(join(tmpdir(), 'gateramp-tls-'));
  const [key, certificate] = [join(folder, 'server.key'), join(folder, 'server.crt')];
  const request = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=gateramp-test'];
  execFileSync('openssl', [...request, '-addext', `subjectAltName=${name}`, '-keyout', key, '-out', certificate], {
    stdio: 'ignore',
  });
  return { certificate, key, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
