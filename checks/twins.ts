import { posix } from 'node:path'
import { importsOf } from './imports.ts'
import type { SourceFile } from './source.ts'

/** Files that one family has and the other cannot need, each with its reason. */
export const EXTRAS: Readonly<Record<string, string>> = {
  'evm/block-span.ts':
    'on EVM each block that is asked for is a call of its own; on Solana one call lists those that are there',
  'evm/kept-blocks.ts':
    'on EVM whoever reads a block with its transactions asks for it by a call of its own; on Solana arrivals and builds are read from one answer',
  'evm/range-logs.ts': 'on Solana what a block moved stands in the block, and nobody asks for logs',
  'evm/logs-bloom.ts': 'blocks on Solana have no filter of what happened in them',
  'evm/kept-terms.ts':
    'on EVM call data of 64 settlements stands in bytes and terms; a transaction on Solana has 1,232 bytes in all',
  'evm/secp256k1.ts': 'two engines sign for EVM, and the log names the one in use',
  'solana/payment-terms.ts':
    'on Solana the payer makes the settling transaction; on EVM it is a transaction of ours like any other',
  'solana/smart-wallet-node.ts':
    'on EVM a receipt holds what every call logged; on Solana a node may keep none of what programs did by calls of their own',
  'solana/any-version.ts':
    'on EVM a node shows a block whatever kinds of transactions it holds; on Solana it refuses one with a newer version',
  'solana/look-back.ts': 'only bytes with a lifetime need proof that they are dead',
  'solana/dead-from.ts': 'only bytes with a lifetime need proof that they are dead',
  'solana/slot-pace.ts':
    'on EVM bytes have no lifetime; on Solana it is counted in blocks, and a cluster changes how quickly these come',
  'solana/seen-slot.ts':
    'on EVM a look-up that finds nothing is not held against how far a node is',
}

interface Family {
  readonly family: string
  readonly names: ReadonlySet<string>
}

const CONNECT = 'connect.ts'

/** The files that implement the port: what a family's `connect.ts` puts together. What these are made of is their own affair. */
function familyFiles(family: string, files: readonly SourceFile[]): Family {
  const folder = `server/src/chains/${family}`
  const connect = files.find(({ path }) => path === `${folder}/${CONNECT}`)
  const parts = connect === undefined ? [] : importsOf(connect)
  const own = parts.flatMap(({ path }) =>
    path !== undefined && posix.dirname(path) === folder ? [posix.basename(path)] : [],
  )
  return { family, names: new Set(own) }
}

/** Files that implement the chain port for one family only. Nothing to compare while there is one family. */
export function missingTwins(
  files: readonly SourceFile[],
  extras: Readonly<Record<string, string>> = EXTRAS,
): readonly string[] {
  const [evm, solana] = [familyFiles('evm', files), familyFiles('solana', files)]
  if (evm.names.size === 0 || solana.names.size === 0) return []
  const missing = (from: Family, to: Family) =>
    [...from.names]
      .filter((name) => !to.names.has(name) && !(`${from.family}/${name}` in extras))
      .map((name) => `chains/${from.family}/${name} has no twin in chains/${to.family}`)
  return [...missing(evm, solana), ...missing(solana, evm)]
}
