import { startSandbox } from '../../../../e2e/actors/sandbox.ts'
import type { SandboxHandle } from '../../../../e2e/actors/sandbox.ts'
import { baseUnits } from '@florin/wire/amount.ts'
import { createHash } from 'node:crypto'
import { systemClock } from '../../kernel/clock.ts'
import { openLog } from '../../kernel/log.ts'
import type { AssetProfile } from '../../kernel/network-config.ts'
import { Secret } from '../../kernel/secret.ts'
import { until } from '../../kernel/until.ts'
import { NodeFailure } from '../chain.ts'
import type {
  Address,
  Chain,
  Draft,
  HistoryLook,
  Outcome,
  SignedTransaction,
  TransactionHash,
  TransferOrder,
} from '../chain.ts'
import type { Signer } from '../signer.ts'
import { knownAddress } from './account.ts'
import { connectSolana } from './connect.ts'
import { addressOfPrivateKey, signMessage } from './ed25519.ts'
import { compileMessage } from './message.ts'
import type { Instruction } from './message.ts'
import { withSignature } from './sign.ts'
import { NATIVE, testNetwork } from './test-network.ts'
import { postText } from '../json-rpc/post-text.ts'

export const SOL = 10n ** 9n
export const COMMITMENT = new Uint8Array(32).fill(0xc5)
const MINED_SECONDS = 60

export interface TestWallet {
  readonly address: Address
  readonly signer: Signer
}

type Mined = Extract<Outcome, { state: 'mined' }>

/** The chain port over a sandbox with faults, and hands to set the scene with. */
export interface TestChain {
  readonly chain: Chain
  readonly sandbox: SandboxHandle
  /** HTTP requests that the chain has made since the last call of this. */
  requests(): number
  /** Asks the node past the chain. */
  rpc(method: string, ...params: readonly unknown[]): Promise<unknown>
  latestBlockhash(): Promise<Address>
  /** A new wallet with funds from the faucet, in whole units. */
  wallet(...funds: readonly ['native' | 'USDC', string][]): Promise<TestWallet>
  draft(order: TransferOrder): Promise<Draft>
  /** Drafts and signs. */
  signed(order: TransferOrder, sender: TestWallet): Promise<SignedTransaction>
  /** What the chain shows of a transaction now; undefined when it cannot say. */
  seen(hash: TransactionHash): Promise<Outcome | undefined>
  /** Waits until the chain shows a transaction. */
  mined(hash: TransactionHash): Promise<Mined>
  /** Lets slots pass at once. */
  pass(slots: number): Promise<void>
  lookBack(hash: TransactionHash): Promise<readonly HistoryLook[]>
  /** From which slot on no block takes these bytes, as the node says. */
  deadFrom(raw: Uint8Array): Promise<bigint | undefined>
  /** Signs instructions of any kind and waits until they are mined. */
  run(sender: TestWallet, instructions: readonly Instruction[]): Promise<Mined>
}

export async function startTestChain(...assets: readonly AssetProfile[]): Promise<TestChain> {
  const sandbox = await startSandbox({ faults: true })
  let requests = 0
  let serial = 0
  const { rpcUrl, maker } = sandbox.solana
  const network = testNetwork([rpcUrl], {
    markets: [{ venue: 'rfq', makers: [{ url: new Secret(maker.url), address: maker.address }] }],
  })
  const chain = connectSolana({
    config: { ...network, assets: [...network.assets, ...assets] },
    log: openLog('silent'),
    clock: systemClock,
    // No node here is silent unless a test has it so: a slow machine is no reason to give it up.
    callSeconds: 30,
    post: (posting) => {
      requests += 1
      return postText(posting)
    },
  })

  const rpc = async (method: string, ...params: readonly unknown[]): Promise<unknown> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(sandbox.solana.rpcUrl, { method: 'POST', headers, body })
    const said = (await answer.json()) as { result?: unknown; error?: unknown }
    if (said.error !== undefined) throw new Error(JSON.stringify(said.error))
    return said.result
  }
  const latestBlockhash = async (): Promise<Address> => {
    const answer = await rpc('getLatestBlockhash', { commitment: 'confirmed' })
    const { blockhash } = (answer as { value: { blockhash: string } }).value
    return knownAddress(blockhash)
  }
  const draft = async (order: TransferOrder): Promise<Draft> => {
    const outcome = await chain.draft(order)
    if (!outcome.ok) throw new Error(`refused: ${outcome.refusal}`)
    return outcome.draft
  }
  /** Undefined when the chain moved in mid-look. */
  const seen = async (hash: TransactionHash): Promise<Outcome | undefined> => {
    try {
      return (await chain.outcomes([hash]))[0]
    } catch (error) {
      if (error instanceof NodeFailure) return undefined
      throw error
    }
  }
  const mined = (hash: TransactionHash): Promise<Mined> =>
    until(
      `${hash} is mined`,
      async () => {
        const outcome = await seen(hash)
        return outcome?.state === 'mined' ? outcome : undefined
      },
      { seconds: MINED_SECONDS },
    )

  return {
    chain,
    sandbox,
    rpc,
    latestBlockhash,
    draft,
    mined,
    seen,
    requests: () => {
      const made = requests
      requests = 0
      return made
    },
    wallet: async (...funds) => {
      serial += 1
      const key = new Uint8Array(createHash('sha256').update(`test ${serial}`).digest())
      const address = addressOfPrivateKey(key)
      for (const [asset, amount] of funds) await sandbox.fund(address, asset, amount)
      return { address, signer: { address, sign: async (message) => signMessage(message, key) } }
    },
    signed: async (order, sender) =>
      await chain.sign((await draft(order)).terms, 0n, sender.signer),
    pass: (blocks) => sandbox.fault({ chain: 'solana', kind: 'mine', blocks }),
    lookBack: async (hash) => {
      if (chain.renewal.kind !== 'lifetime') throw new Error('Solana renews by lifetime')
      return (await chain.renewal.lookBack([hash]))[0] ?? []
    },
    deadFrom: async (raw) => {
      if (chain.renewal.kind !== 'lifetime') throw new Error('Solana renews by lifetime')
      return (await chain.renewal.deadFrom([{ raw, sinceHeight: 0n }]))[0]
    },
    run: async (sender, instructions) => {
      const message = compileMessage(sender.address, instructions, await latestBlockhash())
      const raw = withSignature(await sender.signer.sign(message), message)
      const options = { encoding: 'base64', preflightCommitment: 'confirmed' }
      const hash = await rpc('sendTransaction', Buffer.from(raw).toString('base64'), options)
      const outcome = await mined(hash as TransactionHash)
      if (!outcome.succeeded) throw new Error('the instructions failed')
      return outcome
    },
  }
}

/** An order of so many base units, with a commitment. */
export function order(
  sender: TestWallet,
  recipient: Address,
  amount: bigint,
  asset: AssetProfile = NATIVE,
): TransferOrder {
  const units = baseUnits(amount)
  return { sender: sender.address, recipient, asset, amount: units, commitment: COMMITMENT }
}
