import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPublicClient, getAddress, http, parseAbiItem } from 'viem'
import { createSolanaRpc, address } from '@solana/kit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../../../server/src/kernel/until.ts'
import { startSandbox } from '../sandbox.ts'
import type { Sandbox } from '../sandbox.ts'

const SOON = { seconds: 60 }
const SWAP = parseAbiItem(
  'event Swap(address indexed sender, uint256 in0, uint256 in1, uint256 out0, uint256 out1, address indexed to)',
)

let directory: string
let sandbox: Sandbox
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'florin-traders-'))
  const ports = { evmPort: 0, solanaPort: 0 }
  const options = {
    directory,
    ...ports,
    faults: false,
    market: true,
    currencyToken: false,
    parentPipe: false,
  }
  sandbox = await startSandbox(options, () => undefined)
}, 240_000)
afterAll(async () => {
  await sandbox.stop()
  rmSync(directory, { recursive: true, force: true })
}, 240_000)

test('traders trade on both chains, again and again', async () => {
  const { evm, solana } = sandbox.ready
  const reader = createPublicClient({ transport: http(evm.rpcUrl) })
  await until(
    'five swaps',
    async () => {
      const swaps = await reader.getLogs({ event: SWAP, fromBlock: 0n })
      return swaps.filter(({ args }) => args.sender === getAddress(evm.market.router)).length >= 5
    },
    SOON,
  )
  const rpc = createSolanaRpc(solana.rpcUrl)
  const maker = address(solana.maker.address)
  const before = await rpc.getSignaturesForAddress(maker).send()
  await until(
    'three more transactions of the maker',
    async () => {
      const now = await rpc.getSignaturesForAddress(maker).send()
      return now.length >= before.length + 3
    },
    SOON,
  )
  expect(sandbox.ready.ready).toBe(true)
})
