import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import type { Abi, Hex } from 'viem';

/** A compiled contract. */
export interface Contract {
  readonly abi: Abi;
  readonly bytecode: Hex;
  /** The code of a deployed contract without a constructor. */
  readonly deployedBytecode: Hex;
}

const CACHE = join(import.meta.dirname, '../../node_modules/.cache/gateramp/solidity');

/** Compiles the single contract of a file. Compiling takes seconds, so the result is cached until the file changes. */
export async function compileSolidity(path: string): Promise<Contract> {
  const content = readFileSync(path, 'utf8');
  const kept = join(CACHE, `${createHash('sha256').update(content).digest('hex')}.json`);
  if (existsSync(kept)) return JSON.parse(readFileSync(kept, 'utf8')) as Contract;
  const contract = await compile(basename(path), content);
  mkdirSync(CACHE, { recursive: true });
  writeFileSync(`${kept}.${process.pid}`, JSON.stringify(contract));
  renameSync(`${kept}.${process.pid}`, kept);
  return contract;
}

/** The part of solc's output that is read here. */
interface CompilerOutput {
  readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[];
  readonly contracts?: Record<string, Record<string, CompiledContract>>;
}

interface CompiledContract {
  readonly abi: Abi;
  readonly evm: {
    readonly bytecode: { readonly object: string };
    readonly deployedBytecode: { readonly object: string };
  };
}

async function compile(name: string, content: string): Promise<Contract> {
  const solc = createRequire(import.meta.url)('solc') as { compile(input: string): string };
  const input = {
    language: 'Solidity',
    sources: { [name]: { content } },
    settings: {
      evmVersion: 'london',
      metadata: { appendCBOR: false },
      optimizer: { enabled: true, runs: 1 },
      outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object'] } },
    },
  };
  const output = JSON.parse(solc.compile(JSON.stringify(input))) as CompilerOutput;
  const problems = (output.errors ?? []).filter(({ severity }) => severity === 'error');
  if (problems.length > 0) throw new Error(problems.map(({ formattedMessage }) => formattedMessage).join('\n'));
  const last = Object.values(output.contracts?.[name] ?? {}).at(-1);
  if (last === undefined) throw new Error(`${name} holds no contract.`);
  return {
    abi: last.abi,
    bytecode: `0x${last.evm.bytecode.object}`,
    deployedBytecode: `0x${last.evm.deployedBytecode.object}`,
  };
}
