// Compiles the sandbox's contracts: node bin/florin.js exec sandbox/contracts/compile.ts
// About 5 s and 300 MB, so the result is committed and the sandbox itself never compiles.
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import solc from 'solc'
import type { Json, JsonObject } from '../src/host/json.ts'
import { isJsonArray, isJsonObject, parseJson } from '../src/host/json.ts'

export const CONTRACTS = [
  'SandboxUSDC',
  'SandboxCurrencyToken',
  'SandboxToken',
  'SandboxOldToken',
  'Multicall3',
  'HostileToken',
  'HostileTradedToken',
  'TestWallet',
  'SandboxPermit2',
  'SandboxExactProxy',
  'SandboxUptoProxy',
  'SandboxBatchSettlement',
  'SandboxErc3009Collector',
  'SandboxPermit2Collector',
  'HostileReentrantToken',
] as const
export type ContractName = (typeof CONTRACTS)[number]

/** anvil 1.7.1 runs Osaka and later by default, so what Osaka has may be used. */
const SETTINGS = {
  evmVersion: 'osaka',
  optimizer: { enabled: true, runs: 10_000 },
  metadata: { bytecodeHash: 'none', appendCBOR: false },
} as const
/** A reminder to clear transient storage at the end of a call, given wherever some is written; OpenZeppelin's guard, which is all that does, clears it. */
const TRANSIENT_STORAGE_IS_NAMED = '2394'
const folder = dirname(fileURLToPath(import.meta.url))
const require = createRequire(import.meta.url)

interface Compiler {
  version(): string
  compile(input: string, callbacks: { import(path: string): { contents: string } }): string
}
const compiler: Compiler = solc

export interface Artifact {
  readonly contractName: ContractName
  readonly compiler: string
  readonly settings: unknown
  /** SHA-256 over each source file the contract was made of, ours and imported ones, by import path. */
  readonly sources: Readonly<Record<string, string>>
  readonly abi: readonly unknown[]
  /** Creation code, 0x hex. */
  readonly bytecode: string
}

/** The text of a source by its import path; ours lie beside this file. */
function sourceText(path: string): string {
  return readFileSync(path.startsWith('@') ? require.resolve(path) : join(folder, path), 'utf8')
}

export function sourceHash(path: string): string {
  return createHash('sha256').update(sourceText(path)).digest('hex')
}

/** Where the committed artifact of a contract lies. */
export function artifactPath(name: ContractName): string {
  return join(folder, 'artifacts', `${name}.json`)
}

/** Compiles every contract and returns the artifacts; throws with the compiler's own text. */
export function compileContracts(): readonly Artifact[] {
  const input = {
    language: 'Solidity',
    sources: Object.fromEntries(
      CONTRACTS.map((name) => [`${name}.sol`, { content: sourceText(`${name}.sol`) }]),
    ),
    settings: {
      ...SETTINGS,
      outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object', 'metadata'] } },
    },
  }
  const text = compiler.compile(JSON.stringify(input), {
    import: (path: string) => ({ contents: sourceText(path) }),
  })
  const output = objectIn(parseJson(text))
  const complaints = (isJsonArray(output['errors']) ? output['errors'] : []).filter(
    (complaint) => objectIn(complaint)['errorCode'] !== TRANSIENT_STORAGE_IS_NAMED,
  )
  if (complaints.length > 0) throw new Error(JSON.stringify(complaints, null, 2))
  const version = compiler.version()
  return CONTRACTS.map((name) => artifactOf(name, version, objectIn(output['contracts'])))
}

function artifactOf(contractName: ContractName, compiler: string, output: JsonObject): Artifact {
  const contract = objectIn(objectIn(output[`${contractName}.sol`])[contractName])
  const { abi, metadata } = contract
  const { object } = objectIn(objectIn(contract['evm'])['bytecode'])
  if (!isJsonArray(abi) || typeof metadata !== 'string' || typeof object !== 'string') {
    throw new Error(`the compiler returned no ${contractName}`)
  }
  const paths = Object.keys(objectIn(objectIn(parseJson(metadata))['sources'])).sort()
  return {
    contractName,
    compiler,
    settings: SETTINGS,
    sources: Object.fromEntries(paths.map((path) => [path, sourceHash(path)])),
    abi,
    bytecode: `0x${object}`,
  }
}

function objectIn(value: Json | undefined): JsonObject {
  if (!isJsonObject(value)) throw new Error('the compiler answered in another form')
  return value
}

if (import.meta.main) {
  for (const artifact of compileContracts()) {
    writeFileSync(artifactPath(artifact.contractName), `${JSON.stringify(artifact, null, 2)}\n`)
    process.stderr.write(`${artifact.contractName}: ${artifact.bytecode.length / 2 - 1} bytes\n`)
  }
}
