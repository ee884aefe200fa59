import { isCurrencyToken, namedInBooks } from '../../kernel/currency-tokens.ts'
import { limits } from '../../kernel/limits.ts'
import type { NetworkConfig } from '../../kernel/network-config.ts'
import type { Address } from '../chain.ts'
import { fieldsFrom, isObject, listFrom } from '../json-rpc/answer.ts'
import type { NodeError } from '../json-rpc/messages.ts'
import type { Read, Transport } from '../json-rpc/transport.ts'
import { isUnknownMethod } from '../json-rpc/unknown-method.ts'
import type { BalanceChange, SimulationOutcome, Unreadable } from '../self-custody.ts'
import { quantityFrom } from './answer.ts'
import { nonceRead } from './blocks.ts'
import type { DraftDeps } from './draft.ts'
import { estimateProblemOf, verdictOf } from './failures.ts'
import { latestBlockRead } from './fees.ts'
import { hexBytes, hexQuantity } from './hex.ts'
import { inspectBytes } from './inspect.ts'
import type { Explain } from './markets/router-calls.ts'
import { balanceView, dataFeeView, readViews } from './multicall.ts'
import { transferFrom } from './token-transfers.ts'
import { readWireTransaction } from './wire-transaction.ts'
import type { WireTransaction } from './wire-transaction.ts'

/** Stands for the native currency in simulated logs. Source: execution-apis, `eth_simulateV1` with `traceTransfers`. */
const NATIVE_LOGGER = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE'

/**
 * Writes the log that each transfer of native currency has since EIP-7708 (Arc, and Ethereum since Glamsterdam). Some nodes tell it in a simulation
 * instead of the other, some beside it.
 */
const SYSTEM = '0xffffFFFfFFffffffffffffffFfFFFfffFFFfFFfE'

/** More would let anybody keep a node busy for nothing. */
const SIMULATED_GAS_MAX = BigInt(limits.simulatedGasMax)

interface Move {
  readonly asset: string
  readonly from: Address
  readonly to: Address
  readonly amount: bigint
}

interface Run {
  readonly succeeds: boolean
  readonly gas: bigint
  readonly moves: readonly Move[]
}

export type PreviewDeps = DraftDeps & {
  readonly tokens: ReadonlySet<string>
  readonly explain?: Explain
}

/**
 * Runs the call on the newest block with the gas that it names, a million at most, and holds the sender's nonce and money against what
 * it offers. One round trip, and one more with nodes that cannot simulate: then the changes are those that the bytes themselves say.
 */
export async function simulateBytes(
  deps: PreviewDeps,
  bytes: Uint8Array,
  sender?: Address,
): Promise<SimulationOutcome | Unreadable> {
  const inspected = inspectBytes(deps, bytes)
  const read = readWireTransaction(bytes)
  if (!inspected.ok) return inspected
  if (typeof read === 'string') return { ok: false, reason: read }
  const from = inspected.sender ?? sender
  if (from === undefined) {
    return { ok: false, reason: 'it is not signed: say in walletAddress who would sign it' }
  }
  if (sender !== undefined && from !== sender) {
    return { ok: false, reason: 'it is not signed by the wallet that was named' }
  }
  const { transport } = deps
  const [latest, used, [native = 0n, dataFee = 0n], ran] = await Promise.all([
    transport.read(latestBlockRead),
    transport.read(nonceRead(from, 'latest')),
    transport.read(readViews([balanceView(from, 'native'), dataFeeView(bytes.length)])),
    transport.read(simulationRead(from, read)),
  ])
  const declared = inspected.summary.transfers.map((each) => ({ ...each, from: each.from ?? from }))
  const run = ran === 'unknown' ? await estimated(transport, from, read, declared) : ran
  const { baseFeePerGas } = latest
  const { maxFeePerGas, maxPriorityFeePerGas } = read.fees
  const offered = baseFeePerGas + maxPriorityFeePerGas
  const price = offered < maxFeePerGas ? offered : maxFeePerGas
  const needed = read.value + read.gas * maxFeePerGas + dataFee
  const error =
    read.nonce < used
      ? `nonce ${read.nonce} is used up: the next one is ${used}`
      : native < needed
        ? `the sender has ${native} wei and needs ${needed} for value and fee`
        : maxFeePerGas < baseFeePerGas
          ? 'it offers less per gas than the network asks now'
          : run.succeeds
            ? null
            : read.gas > SIMULATED_GAS_MAX
              ? `the call fails with ${SIMULATED_GAS_MAX} gas, the most that is simulated: it asks for ${read.gas}`
              : 'the call fails'
  return {
    succeeds: error === null,
    error,
    changes: error === null ? changesOf(movedOnce(deps.config, run.moves)) : [],
    fee: run.gas * price + dataFee,
  }
}

function simulationRead(from: Address, transaction: WireTransaction): Read<Run | 'unknown'> {
  const gas = transaction.gas < SIMULATED_GAS_MAX ? transaction.gas : SIMULATED_GAS_MAX
  const calls = [{ ...callOf(from, transaction), gas: hexQuantity(gas) }]
  return {
    apart: true,
    method: 'eth_simulateV1',
    params: [{ blockStateCalls: [{ calls }], traceTransfers: true, validation: false }, 'latest'],
    parse: (result) => {
      const [block] = listFrom(result, 'simulated blocks')
      const [call] = listFrom(fieldsFrom(block, 'simulated block')['calls'], 'simulated calls')
      const fields = fieldsFrom(call, 'simulated call')
      const succeeds = quantityFrom(fields['status'], 'simulated status') === 1n
      return {
        succeeds,
        gas: quantityFrom(fields['gasUsed'], 'gas used'),
        moves: succeeds ? movesOf(listFrom(fields['logs'], 'simulated logs')) : [],
      }
    },
    meaning: (error) => {
      if (isUnknownMethod(error)) return 'unknown'
      return isRefusal(error) ? refusedRun(transaction) : undefined
    },
  }
}

/** What was moved, each transfer of native currency once. Logs of a simulation may lack where they stand. */
function movesOf(logs: readonly unknown[]): readonly Move[] {
  const transfers = logs.flatMap((log) =>
    transferFrom(isObject(log) ? { ...log, logIndex: '0x0' } : log),
  )
  const isTraced = transfers.some(({ asset }) => asset === NATIVE_LOGGER)
  return transfers.flatMap(({ asset, from, to, amount }) => {
    if (asset === SYSTEM && isTraced) return []
    const isNative = asset === SYSTEM || asset === NATIVE_LOGGER
    return [{ asset: isNative ? 'native' : asset, from, to, amount }]
  })
}

/** A token that is the native currency tells in its own decimals what the system's log, where there is one, tells as well: each once, as native. */
function movedOnce(config: NetworkConfig, moves: readonly Move[]): readonly Move[] {
  const key = ({ from, to, amount }: Move) => `${from} ${to} ${amount}`
  const told = new Map<string, number>()
  for (const move of moves) {
    if (move.asset === 'native') told.set(key(move), (told.get(key(move)) ?? 0) + 1)
  }
  return moves.flatMap((move) => {
    if (!isCurrencyToken(config, move.asset)) return [move]
    const native = { ...move, ...namedInBooks(config, move.asset, move.amount) }
    const left = told.get(key(native)) ?? 0
    told.set(key(native), left - 1)
    return left > 0 ? [] : [native]
  })
}

/** What a node without `eth_simulateV1` can say. */
async function estimated(
  transport: Transport,
  from: Address,
  transaction: WireTransaction,
  moves: readonly Move[],
): Promise<Run> {
  return await transport.read({
    apart: true,
    method: 'eth_estimateGas',
    params: [{ ...callOf(from, transaction), gas: hexQuantity(SIMULATED_GAS_MAX) }, 'latest'],
    parse: (result): Run => {
      const gas = quantityFrom(result, 'gas estimate')
      return { succeeds: gas <= transaction.gas, gas, moves }
    },
    meaning: (error) => (isRefusal(error) ? refusedRun(transaction) : undefined),
  })
}

/** Less gas than the bytes alone take, in the words of revm: it calls them too high for the limit. */
const GAS_TOO_LOW = /CallGasCostMoreThanGasLimit|GasFloorMoreThanGasLimit/

/** Whether a node's error is about the transaction, such as gas that no block has, and not about the node. */
function isRefusal(error: NodeError): boolean {
  return (
    estimateProblemOf(error) !== undefined ||
    verdictOf(error).kind === 'rejected' ||
    GAS_TOO_LOW.test(error.message)
  )
}

function refusedRun({ gas }: WireTransaction): Run {
  return { succeeds: false, gas, moves: [] }
}

function callOf(from: Address, { to, value, data }: WireTransaction) {
  const target = to === null ? {} : { to }
  return { from, ...target, value: hexQuantity(value), input: hexBytes(data) }
}

function changesOf(moves: readonly Move[]): readonly BalanceChange[] {
  const changes = new Map<string, BalanceChange>()
  const change = (address: Address, asset: string, delta: bigint): void => {
    const key = `${address} ${asset}`
    changes.set(key, { address, asset, delta: (changes.get(key)?.delta ?? 0n) + delta })
  }
  for (const { asset, from, to, amount } of moves) {
    change(from, asset, -amount)
    change(to, asset, amount)
  }
  return [...changes.values()].filter(({ delta }) => delta !== 0n)
}
