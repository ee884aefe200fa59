import { baseUnits } from '@florin/wire/amount.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { NetworkConfig } from '../../kernel/network-config.ts'
import { NodeFailure } from '../chain.ts'
import type { Address } from '../chain.ts'
import type { ExactAuthorization, ExactCheck, ExactLack, ExactPayments } from '../exact.ts'
import { NodeTimeout } from '../json-rpc/endpoint.ts'
import type { Read, Transport } from '../json-rpc/transport.ts'
import { knownAddress } from './account.ts'
import { contextFrom } from './answer.ts'
import { openAccountPool } from './account-pool.ts'
import { accountsRead } from './accounts.ts'
import { lifetimeRead } from './blocks.ts'
import { endOfValid } from './end-of-valid.ts'
import { standsByAccounts } from './exact-accounts.ts'
import { prepareAuthorization } from './exact-authorize.ts'
import { LACK_WORDS, paymentSimulationRead } from './exact-check.ts'
import { isBySmartWallet, peekPayload, readPayload } from './exact-read.ts'
import type { Facts } from './facts.ts'
import { writePaymentTerms } from './payment-terms.ts'
import { smartWalletSimulationRead } from './smart-wallet-check.ts'
import type { SmartWalletNode } from './smart-wallet-node.ts'
import { readTokenAccount } from './token-account.ts'
import type { TokenAccount } from './token-account.ts'

const SIMULATION_FAILED = 'invalid_exact_svm_transaction_simulation_failed'

/** Nothing is said of the payment, good or bad. */
const UNTOLD: ExactCheck = {
  ok: false,
  reason: 'network_unavailable',
  message:
    'No node tells what smart wallets pay on this network now. Nothing was sent; ask again later.',
}

/** x402 `exact` by a transaction that the payer signs and whose fee we pay: without our signature nobody can submit it. */
export function openExact({
  transport,
  config,
  facts,
  clock,
  walletNode,
  seenSlot,
}: {
  readonly transport: Transport
  readonly clock: Clock
  readonly config: NetworkConfig
  readonly facts: Facts
  readonly walletNode: SmartWalletNode
  /** The highest slot that any of the nodes has shown as confirmed. */
  readonly seenSlot: () => bigint
}): ExactPayments {
  const { blockTimeMilliseconds } = config
  const standing = { seenSlot, blockTimeMilliseconds }
  const walletPrograms = new Set(config.smartWalletPrograms)
  const accountPool = openAccountPool(transport, clock)
  /**
   * What no simulation says: what the mint keeps of a transfer, which the seller would not get (known for ten minutes, announced for
   * days), and that the money is somebody else's, by whose name its effect is told.
   */
  const simulate = async (authorization: ExactAuthorization): Promise<ExactCheck> =>
    (await simulateAt(authorization)).value

  const simulateAt = async (authorization: ExactAuthorization): Promise<At<ExactCheck>> => {
    const { stored, asset, amount, payer, payTo, plain } = authorization
    const isByWallet = isBySmartWallet(authorization)
    // What a simulation tells of it the record of its transaction may not.
    if (isByWallet && (await walletNode.whatIsMissing()) !== undefined) {
      return { slot: 0n, value: UNTOLD }
    }
    const receiving = isByWallet ? stored['destination'] : plain?.destination
    const looked = [stored['source'] ?? '', ...(receiving === undefined ? [] : [receiving])]
    const [{ slot, value: check }, mint, { accounts }] = await Promise.all([
      isByWallet
        ? transport.read(withSlot(smartWalletSimulationRead(authorization, standing)))
        : rehearse(authorization),
      facts.mint(knownAddress(asset.asset)),
      transport.read(accountsRead(looked.map(knownAddress))),
    ])
    const at = (value: ExactCheck): At<ExactCheck> => ({ slot, value })
    const [source, destination] = accounts.map((each) =>
      readTokenAccount(each?.data ?? new Uint8Array()),
    )
    if (!check.ok) {
      const lacks = isByWallet ? undefined : lackOf(check, authorization, { source, destination })
      return at(lacks === undefined ? check : { ...check, lacks, message: LACK_WORDS[lacks] })
    }
    // Whoever has it now would be paid. One that does not exist yet is made for the receiver.
    if (isByWallet && destination !== undefined && destination.owner !== payTo) {
      return at({
        ok: false,
        reason: 'invalid_exact_svm_smart_wallet_transfer_mismatch',
        message: 'The receiver does not own the account that is paid.',
      })
    }
    if (source?.owner !== payer) {
      return at({
        ok: false,
        reason: SIMULATION_FAILED,
        message: 'The payer does not own the account that it pays from.',
      })
    }
    if (mint.feeOf(amount) === 0n) return at(check)
    return at({
      ok: false,
      reason: 'invalid_exact_svm_payload_amount_mismatch',
      message: 'The token keeps a part of each transfer.',
    })
  }

  const rehearse = async ({ stored, plain }: ExactAuthorization): Promise<At<ExactCheck>> => {
    const read = paymentSimulationRead(stored['transaction'] ?? '', standing)
    const { slot, value } = await transport.read(withSlot(read))
    const { check, unitsUsed } = value
    if (plain !== undefined && unitsUsed !== null) {
      const known = facts.unitsOf(plain.shape) ?? 0n
      facts.noteUnits(plain.shape, known > unitsUsed ? known : unitsUsed)
    }
    return { slot, value: check }
  }

  return {
    peek: peekPayload,
    read: (payload, demand) => readPayload(facts, payload, demand, walletPrograms),
    stands: (authorization) =>
      standsByAccounts({ facts, accounts: accountPool }, authorization).catch((error: unknown) => {
        // A simulation may still be had; a node that hangs is not waited for twice.
        if (error instanceof NodeFailure && !(error instanceof NodeTimeout)) return false
        throw error
      }),
    check: simulate,
    draft: async (authorization, settler: Address) => {
      const [{ slot, value: check }, newest, { accounts }] = await Promise.all([
        simulateAt(authorization),
        transport.read(lifetimeRead),
        transport.read(accountsRead([settler])),
      ])
      const { stored } = authorization
      const fee = baseUnits(stored['fee'] ?? '')
      const transaction = stored['transaction'] ?? ''
      const terms = writePaymentTerms({
        network: config.network,
        feePayer: settler,
        transaction,
        lastValidBlockHeight: endOfValid(newest, slot),
      })
      if (!check.ok && check.isFeePayerShort !== true) {
        return check.lacks === 'time' ? { ...check, signable: terms } : check
      }
      // Then the draft says so by itself, and whoever reads it takes that key for low. What is left of it is too little to be kept at all.
      const settlerBalance = check.ok ? (accounts[0]?.lamports ?? 0n) : 0n
      return {
        ok: true,
        draft: {
          terms,
          feeCeiling: fee,
          feeExpected: fee,
          laneLatest: 0n,
          settlerBalance,
        },
      }
    },
    authorize: (order) => prepareAuthorization({ transport, facts }, order),
    // Its end is proven by the sender, which holds the only bytes that can be included.
    finalState: async () => 'open',
    findForeign: async () => undefined,
    ...(walletPrograms.size === 0 ? {} : { smartWallets: walletNode }),
  }
}

/** What the accounts show to be missing where a plain wallet's simulation failed; undefined where something else is wrong. */
function lackOf(
  { reason, lacks, isUsed }: Exclude<ExactCheck, { ok: true }>,
  { plain, amount }: ExactAuthorization,
  accounts: {
    readonly source: TokenAccount | undefined
    readonly destination: TokenAccount | undefined
  },
): ExactLack | undefined {
  // Of what was used up the money is gone, and of what no node can tell nothing is known.
  if (isUsed === true || reason !== SIMULATION_FAILED) return undefined
  if (lacks !== undefined) return lacks
  if ((accounts.source?.amount ?? 0n) < amount) return 'money'
  return plain !== undefined && accounts.destination === undefined ? 'receiving account' : undefined
}

/** What a node said, and the slot that it said it of. */
interface At<Value> {
  readonly slot: bigint
  readonly value: Value
}

function withSlot<Value>(read: Read<Value>): Read<At<Value>> {
  return {
    method: read.method,
    params: read.params,
    parse: (result) => ({
      slot: contextFrom(result, 'simulation').slot,
      value: read.parse(result),
    }),
  }
}
