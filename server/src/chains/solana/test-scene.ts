import { baseUnits } from '@florin/wire/amount.ts'
import { getTokenEncoder } from '@solana-program/token'
import { none, some } from '@solana/kit'
import type { Address as KitAddress } from '@solana/kit'
import { onTestFinished } from 'vitest'
import type { AssetProfile } from '../../kernel/network-config.ts'
import type { Address, Chain, Draft, TransferOrder } from '../chain.ts'
import type { TestNode } from '../json-rpc/test-node.ts'
import { addressFromBytes, knownAddress } from './account.ts'
import { addressOfPrivateKey } from './ed25519.ts'
import { SYSTEM_PROGRAM, TOKEN_PROGRAM } from './programs.ts'
import { readTerms } from './terms.ts'
import type { SolanaTerms } from './terms.ts'
import { associatedAccount } from './token-account.ts'
import { NATIVE, NETWORK, USDC } from './test-network.ts'
import { result, script, startScripted } from './test-script.ts'
import type { Lines } from './test-script.ts'

export const wallet = (serial: number): Address =>
  addressOfPrivateKey(new Uint8Array(32).fill(serial))
export const [ALICE, BOB, CAROL] = [wallet(1), wallet(2), wallet(3)]
export const MINT = knownAddress(USDC.asset)
export const ALICES = associatedAccount(ALICE, TOKEN_PROGRAM, MINT).address
export const BOBS = associatedAccount(BOB, TOKEN_PROGRAM, MINT).address
export const HASH = addressFromBytes(new Uint8Array(32).fill(7))
export const RENT = 890_880n
export const TOKEN_RENT = 2_039_280n
const COMMITMENT = new Uint8Array(32).fill(0xc5)

interface Kept {
  readonly lamports?: bigint
  readonly owner?: string
  readonly executable?: boolean
  readonly data?: Uint8Array
  readonly space?: number
}

export const account = ({
  lamports = 1_000_000_000n,
  owner = SYSTEM_PROGRAM,
  executable = false,
  data = new Uint8Array(),
  space = data.length,
}: Kept): object => ({
  lamports: Number(lamports),
  owner,
  executable,
  data: [Buffer.from(data).toString('base64'), 'base64'],
  space,
  rentEpoch: 18_446_744_073_709_552_000,
})

export interface Held {
  readonly owner?: Address
  readonly mint?: Address
  readonly amount?: bigint
  readonly delegate?: Address
  readonly state?: number
  readonly program?: string
  readonly space?: number
}

export const tokenAccount = (owner: Address, held: Held = {}): object =>
  account({
    lamports: TOKEN_RENT,
    owner: held.program ?? TOKEN_PROGRAM,
    space: held.space ?? 165,
    data: Uint8Array.from(
      getTokenEncoder().encode({
        mint: (held.mint ?? MINT) as string as KitAddress,
        owner: (held.owner ?? owner) as string as KitAddress,
        amount: held.amount ?? 5_000_000n,
        delegate:
          held.delegate === undefined ? none() : some(held.delegate as string as KitAddress),
        state: held.state ?? 1,
        isNative: none(),
        delegatedAmount: 0n,
        closeAuthority: none(),
      }),
    ),
  })

export const MINT_DATA = Buffer.alloc(82)
MINT_DATA[44] = 6
MINT_DATA[45] = 1

/** Accounts that exist, by address. */
export type Accounts = Readonly<Record<string, object>>
export const WORLD: Accounts = {
  [ALICE]: account({ lamports: 10_000_000_000n }),
  [BOB]: account({}),
  [MINT]: account({ owner: TOKEN_PROGRAM, data: MINT_DATA }),
  [ALICES]: tokenAccount(ALICE),
  [BOBS]: tokenAccount(BOB),
}

export function nodeWith(accounts: Accounts = WORLD, change: Lines = {}): Lines {
  return {
    getLatestBlockhash: {
      context: { slot: 50 },
      value: { blockhash: HASH, lastValidBlockHeight: 190 },
    },
    getMultipleAccounts: ([addresses]: [readonly string[]]) =>
      result({ context: { slot: 50 }, value: addresses.map((each) => accounts[each] ?? null) }),
    getAccountInfo: ([address]: [string]) =>
      result({ context: { slot: 50 }, value: accounts[address] ?? null }),
    getMinimumBalanceForRentExemption: Number(RENT),
    getRecentPrioritizationFees: [],
    simulateTransaction: {
      context: { slot: 50 },
      value: { err: null, logs: [], unitsConsumed: 2_000 },
    },
    ...change,
  }
}

export async function chainWith(
  lines: Lines,
  assets: readonly AssetProfile[] = [NATIVE, USDC],
): Promise<{ chain: Chain; node: TestNode }> {
  const { chain, nodes, stop } = await startScripted([script(lines)], { assets })
  onTestFinished(stop)
  const [node] = nodes
  if (node === undefined) throw new Error('one node was started')
  return { chain, node }
}

export const order = (
  amount: bigint,
  asset = NATIVE,
  change: Partial<TransferOrder> = {},
): TransferOrder => ({
  sender: ALICE,
  recipient: BOB,
  asset,
  amount: baseUnits(amount),
  commitment: COMMITMENT,
  ...change,
})

export async function draftOf(lines: Lines, wanted: TransferOrder): Promise<Draft> {
  const outcome = await (await chainWith(lines)).chain.draft(wanted)
  if (!outcome.ok) throw new Error(`refused: ${outcome.refusal}`)
  return outcome.draft
}

export async function refusalOf(lines: Lines, wanted: TransferOrder): Promise<string> {
  const outcome = await (await chainWith(lines)).chain.draft(wanted)
  return outcome.ok ? 'none' : outcome.refusal
}

export const termsOf = ({ terms }: Draft): SolanaTerms => readTerms(terms, NETWORK ?? '')
export const simulated = (err: unknown): Lines => ({
  simulateTransaction: { context: { slot: 50 }, value: { err, logs: [], unitsConsumed: 0 } },
})
