import type { Reason } from '@florin/wire/x402/reasons.ts'
import type { Address } from '../chain.ts'
import type { ExactAuthorization, ExactCheck } from '../exact.ts'
import { fieldsFrom, isObject, listFrom, malformed } from '../json-rpc/answer.ts'
import type { Fields } from '../json-rpc/answer.ts'
import type { Read } from '../json-rpc/transport.ts'
import { addressFrom, amountFrom, contextFrom, textFrom, transactionErrorFrom } from './answer.ts'
import { decodeBase58 } from './base58.ts'
import { simulationFault, SIMULATION_OPTIONS } from './exact-check.ts'
import { openSimulationDoubt } from './simulation-doubt.ts'
import type { Standing } from './simulation-doubt.ts'
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from './programs.ts'
import { movesOf } from './token-transfers.ts'
import { readWireTransaction } from './wire-transaction.ts'

const TRANSFER_CHECKED = 12
const TRANSFER_CHECKED_BYTES = 10
const PARSED_TRANSFERS: ReadonlySet<unknown> = new Set([
  'transfer',
  'transferChecked',
  'transferCheckedWithFee',
])

/** A transfer of tokens as a simulation tells it. `authority` and `mint` are null where it is no TransferChecked. */
interface Moved {
  readonly from: Address
  readonly to: Address
  readonly amount: bigint
  readonly mint: Address | null
  readonly authority: Address | null
}

/** What an instruction names, and what it moves if it moves tokens. */
interface Ran {
  readonly names: readonly string[]
  readonly moved: readonly Moved[]
}

/**
 * What a smart wallet's transaction would do now, told with every call of its programs: exactly one transfer into the receiver's account,
 * of the mint, the amount and the authority that were read from its bytes. Throws NodeFailure where the node does not tell the calls.
 */
export function smartWalletSimulationRead(
  authorization: ExactAuthorization,
  standing: Standing,
): Read<ExactCheck> {
  const { stored, feePayer } = authorization
  const transaction = stored['transaction'] ?? ''
  const doubtOf = openSimulationDoubt(standing)
  return {
    method: 'simulateTransaction',
    params: [transaction, { ...SIMULATION_OPTIONS, innerInstructions: true }],
    parse: (result) => {
      const { slot, value } = contextFrom(result, 'simulation')
      const fields = fieldsFrom(value, 'simulation')
      const err = transactionErrorFrom(fields['err'], "simulation's err")
      if (err !== null) {
        const doubt = doubtOf(err, slot)
        return doubt ?? simulationFault(err, 'invalid_exact_svm_smart_wallet_simulation_failed')
      }
      const inner = listFrom(fields['innerInstructions'], 'inner instructions').flatMap((group) =>
        listFrom(fieldsFrom(group, 'inner instructions')['instructions'], 'inner instructions'),
      )
      const ran = inner.map((each) => readRan(fieldsFrom(each, 'inner instruction')))
      const reason = problemOf([...topLevel(transaction), ...ran], authorization, feePayer)
      return reason === undefined ? { ok: true } : { ok: false, reason }
    },
  }
}

function problemOf(
  ran: readonly Ran[],
  { stored, asset, amount, payer }: ExactAuthorization,
  feePayer: Address | null,
): Reason | undefined {
  if (ran.some(({ names }) => names.some((name) => name === feePayer))) {
    return 'invalid_exact_svm_smart_wallet_fee_payer_not_isolated'
  }
  const moved = ran.flatMap((each) => each.moved)
  if (moved.length === 0) return 'invalid_exact_svm_smart_wallet_no_transfer_in_simulation'
  const [paid, second] = moved.filter(({ to }) => to === stored['destination'])
  if (second !== undefined) return 'invalid_exact_svm_smart_wallet_multiple_matching_transfers'
  const isPaid =
    paid?.from === stored['source'] &&
    paid?.mint === asset.asset &&
    paid.authority === payer &&
    paid.amount === amount
  return isPaid ? undefined : 'invalid_exact_svm_smart_wallet_transfer_mismatch'
}

/** The wallet's own instructions may move tokens, too, where the operator lets a token program be called so. */
function topLevel(transaction: string): readonly Ran[] {
  const read = readWireTransaction(Buffer.from(transaction, 'base64'))
  if (read === undefined) throw new Error('a stored transaction is broken')
  return read.instructions.map(({ program, accounts, data }) => ({
    names: [program, ...accounts],
    moved: movedBy(program, accounts, data),
  }))
}

/** Nodes take apart the instructions of programs that they know, and tell the others by their accounts and data. */
function readRan(fields: Fields): Ran {
  const program = addressFrom(fields['programId'], 'inner program')
  const { parsed } = fields
  if (parsed === undefined) {
    const accounts = listFrom(fields['accounts'], 'inner accounts').map((each) =>
      addressFrom(each, 'inner account'),
    )
    const text = textFrom(fields['data'], 'inner data')
    const data = decodeBase58(text, TRANSFER_CHECKED_BYTES)
    const called = { index: 0, program, accounts, data: text }
    const isChecked = data !== undefined && data[0] === TRANSFER_CHECKED
    return {
      names: [program, ...accounts],
      moved: isChecked
        ? movedBy(program, accounts, data)
        : movesOf(called).map(({ from, to, declared }) => ({
            ...OTHER,
            from,
            to,
            amount: declared,
          })),
    }
  }
  if (!isTokenProgram(program) || !isObject(parsed)) {
    return { names: [program, ...textsIn(parsed)], moved: [] }
  }
  const names = [program, ...textsIn(parsed)]
  if (!PARSED_TRANSFERS.has(parsed['type'])) return { names, moved: [] }
  return { names, moved: [parsedMove(parsed)] }
}

const OTHER = { mint: null, authority: null }

function parsedMove({ type, info }: Fields): Moved {
  const said = fieldsFrom(info, 'inner transfer')
  const from = addressFrom(said['source'], 'inner source')
  const to = addressFrom(said['destination'], 'inner destination')
  if (type === 'transfer') {
    return { ...OTHER, from, to, amount: amountFrom(said['amount'], 'inner amount') }
  }
  const { amount } = fieldsFrom(said['tokenAmount'], 'inner amount')
  const moved = { from, to, amount: amountFrom(amount, 'inner amount') }
  if (type !== 'transferChecked') return { ...OTHER, ...moved }
  const mint = addressFrom(said['mint'], 'inner mint')
  // A multisignature of the token program is no wallet of these programs.
  const { authority } = said
  return {
    ...moved,
    mint,
    authority: authority === undefined ? null : addressFrom(authority, 'inner authority'),
  }
}

function movedBy(
  program: Address,
  accounts: readonly Address[],
  data: Uint8Array,
): readonly Moved[] {
  const [from, mint, to, authority] = accounts
  if (!isTokenProgram(program) || data.length !== TRANSFER_CHECKED_BYTES) return []
  if (data[0] !== TRANSFER_CHECKED) return []
  if (from === undefined || mint === undefined || to === undefined || authority === undefined) {
    throw malformed('inner transfer', program)
  }
  return [{ from, to, amount: Buffer.from(data).readBigUInt64LE(1), mint, authority }]
}

function isTokenProgram(program: Address): boolean {
  return program === TOKEN_PROGRAM || program === TOKEN_2022_PROGRAM
}

/** Every text within a value that a node took apart: what it names is among these. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.flatMap(textsIn)
  return isObject(value) ? Object.values(value).flatMap(textsIn) : []
}
