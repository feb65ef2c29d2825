import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aptInstall, mayInstall } from '../../../tools/lib/apt.mjs';
import { PlainError } from '../../../tools/lib/steps.mjs';
import { DEBIAN_PACKAGES, pathWithHttpx, pythons, PYTHON_FOLDER, run } from './python.js';

const pyright = join(createRequire(import.meta.url).resolve('pyright/package.json'), '../index.js');
const [python = 'python3'] = await pythons();
const manifest = readFileSync(join(PYTHON_FOLDER, 'pyproject.toml'), 'utf8');
const version = /^version = "(.+)"$/m.exec(manifest)?.[1] ?? '';
const hasPip = (await run(python, ['-m', 'pip', '--version']))?.code === 0;

describe('the Python package, as it is published', () => {
  let paths: NodeJS.ProcessEnv;
  beforeAll(async () => {
    paths = { PYTHONPATH: await pathWithHttpx(python) };
  });
  const folder = mkdtempSync(join(tmpdir(), 'gate-python-package-'));
  const samples = mkdtempSync(join(tmpdir(), 'gate-python-samples-'));
  afterAll(() => [folder, samples].forEach((one) => rmSync(one, { recursive: true, force: true })));

  it('satisfies a strict type checker, its tests and tools too', async () => {
    const checked = await run(process.execPath, [pyright, '--project', PYTHON_FOLDER], paths);
    expect(checked?.output).toMatch(/^0 errors, 0 warnings/m);
  });

  it('gives a type checker the type of everything it exports', async () => {
    const checked = await run(process.execPath, [pyright, '--verifytypes', 'gateramp', '--ignoreexternal'], paths);
    expect(checked?.output).toContain('Type completeness score: 100%');
  });

  const checkers = {
    pyright: (files: string[]) => run(process.execPath, [pyright, '--pythonversion', '3.9', ...files], paths),
    mypy: async (files: string[]) => {
      await installMypy();
      const args = ['--strict', '--follow-imports=silent', '--cache-dir', '/dev/null', '--python-version', '3.9'];
      // Debian's own Python, which has mypy and httpx.
      return run('/usr/bin/python3', ['-m', 'mypy', ...args, ...files], { MYPYPATH: 'src' });
    },
  };
  it.each(['pyright', 'mypy'] as const)('has %s know the data of an event by its type', async (checker) => {
    const files = ['narrowed.py', 'misused.py'].map((name) => join(samples, name));
    [NARROWED, MISUSED].forEach((text, index) => writeFileSync(files[index] ?? '', text));
    const checked = await checkers[checker](files);
    const errors = [...(checked?.output ?? '').matchAll(/(\w+\.py:\d+):.* error/g)].map((found) => found[1]);
    const wrong = MISUSED.split('\n').flatMap((line, index) => (line.includes('# wrong') ? [index + 1] : []));
    expect([...new Set(errors)]).toEqual(wrong.map((line) => `misused.py:${line}`));
  });

  it.runIf(hasPip)('is built by pip without a package index', async () => {
    const built = await run(python, ['-m', 'pip', 'wheel', '--no-index', '--no-deps', '--wheel-dir', folder, '.']);
    expect(built?.output).toContain('Successfully built gateramp');
    expect(readdirSync(folder)).toEqual([`gateramp-${version}-py3-none-any.whl`]);
  });
});

async function installMypy(): Promise<void> {
  if (!existsSync(join(DEBIAN_PACKAGES, 'mypy')) && mayInstall()) await aptInstall('mypy', '--no-install-recommends');
  if (!existsSync(join(DEBIAN_PACKAGES, 'mypy')))
    throw new PlainError('There is no mypy to check with. Run "apt-get install mypy".');
}

const NARROWED = `# pyright: strict
from typing import Optional

from gateramp import Event, EventContext, GateSessionCompleted, Transaction, UnknownEvent, webhooks


def on_event(event: Event, context: EventContext) -> None:
    if event.type == "gate_session.completed":
        completed: GateSessionCompleted = event.data
        refid: str = event.data.tx_refid
        print(completed.amount, refid)
    elif event.type == "transaction.updated":
        transaction: Transaction = event.data
        print(transaction.refid)
    elif event["type"] == "brand.new":
        print(event["data"])
    if event.type != "gate_session.completed":
        return
    print(event.data.tx_refid)


def reference(event: Event) -> Optional[str]:
    return event.data.user_reference if event.type == "gate_session.created" else None


async def on_event_async(event: Event, context: EventContext) -> None:
    if isinstance(event, UnknownEvent):
        print(event["type"], event["data"].to_dict(), event.id)


webhooks.receive(secret="whsec_1", handle=on_event)
webhooks.receive_async(secret="whsec_1", handle=on_event_async)
`;

const MISUSED = `# pyright: strict
from gateramp import Event, EventContext, webhooks


def on_event(event: Event, context: EventContext) -> None:
    print(event.data.tx_refid)  # wrong: only one kind of event has it
    if event.type == "gate_session.created":
        print(event.data.tx_refid)  # wrong: not paid yet
    if event.type == "transaction.updated":
        number: int = event.data.refid  # wrong: a string
        print(number)
    if event.type == "gate_session.complete":  # wrong: no such type
        print(event.id)


webhooks.receive_async(secret="whsec_1", handle=on_event)  # wrong: not asynchronous
`;
