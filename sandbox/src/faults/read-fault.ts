import type { Json, JsonObject } from '../host/json.ts'
import { isJsonArray, isJsonObject } from '../host/json.ts'
import type { EvmFault, Failure, Fault, SolanaFault, StandingFault } from './fault.ts'

const COUNT_MAX = 1_000_000
const DELAY_MILLISECONDS_MAX = 60_000
const MINE_BLOCKS_MAX = 1_000
/** anvil keeps this much history, see HISTORY_BLOCKS. */
const REORG_DEPTH_MAX = 30
/** anvil keeps this much history, see HISTORY_BLOCKS. */
const LAG_BLOCKS_MAX = 30
/** The Solana chain keeps this much to look back on. */
const LAG_SLOTS_MAX = 150
const FORK_TRANSACTIONS_MAX = 100
const FORK_SLOTS_MAX = 20
const FORK_SLOTS_USUAL = 3

/** A fault request that makes no sense; its text goes to the caller. */
export class BadFault extends Error {
  override readonly name = 'BadFault'
}

/** Reads a fault from JSON. @throws {BadFault} */
export function readFault(value: Json | undefined): Fault {
  if (!isJsonObject(value)) throw new BadFault('a fault is a JSON object with a "kind"')
  const chain = oneOf({ chain: 'evm', ...value }, 'chain', ['evm', 'solana'])
  return chain === 'evm' ? evmFault(value) : solanaFault(value)
}

/** Reads a fault of the Solana chain. @throws {BadFault} */
function solanaFault(value: JsonObject): SolanaFault {
  const { kind } = value
  const chain = 'solana'
  switch (kind) {
    case 'drop':
    case 'delay':
    case 'hang':
    case 'fail':
      return { ...standing(kind, value), chain }
    case 'down':
      return { kind, chain, how: oneOf(value, 'how', ['http-500', 'connection-reset']) }
    case 'stop-blocks':
    case 'resume-blocks':
    case 'expire':
    case 'kill-node':
      return { kind, chain }
    case 'mine':
      return { kind, chain, blocks: integer(value, 'blocks', MINE_BLOCKS_MAX) }
    case 'lag':
      return { kind, chain, slots: integer(value, 'slots', LAG_SLOTS_MAX) }
    case 'blind':
      return { kind, chain, ...countOf(value) }
    case 'fork':
      return {
        kind,
        chain,
        transactions: integer(value, 'transactions', FORK_TRANSACTIONS_MAX),
        slots: integer({ slots: FORK_SLOTS_USUAL, ...value }, 'slots', FORK_SLOTS_MAX),
      }
    default:
      throw new BadFault(`no fault of Solana is called ${JSON.stringify(kind ?? null)}`)
  }
}

function evmFault(value: JsonObject): EvmFault {
  const { kind } = value
  switch (kind) {
    case 'drop':
    case 'delay':
    case 'hang':
    case 'fail':
      return standing(kind, value)
    case 'lag': {
      const blocks = integer(value, 'blocks', LAG_BLOCKS_MAX)
      return { kind, blocks, ...countOf(value), ...methodsOf(value) }
    }
    case 'down':
      return { kind, how: oneOf(value, 'how', ['http-500', 'connection-reset']) }
    case 'stop-blocks':
    case 'resume-blocks':
    case 'kill-node':
      return { kind }
    case 'mine':
      return { kind, blocks: integer(value, 'blocks', MINE_BLOCKS_MAX) }
    case 'reorg': {
      const depth = integer(value, 'depth', REORG_DEPTH_MAX)
      return {
        kind,
        depth,
        rivals: listOf(value, 'rivals').map((rival) => readRival(rival, depth)),
      }
    }
    case 'evict':
      return { kind, transactionHash: matching(value, 'transactionHash', /^0x[0-9a-f]{64}$/i) }
    case 'base-fee':
      return { kind, weiPerGas: matching(value, 'weiPerGas', /^\d{1,30}$/) }
    default:
      throw new BadFault(`no fault is called ${JSON.stringify(kind ?? null)}`)
  }
}

function standing(kind: 'drop' | 'delay' | 'hang' | 'fail', value: JsonObject): StandingFault {
  const count = countOf(value)
  if (kind === 'drop') return { kind, ...count }
  const reach = { ...count, ...methodsOf(value) }
  if (kind === 'hang') return { kind, ...reach }
  if (kind === 'delay') {
    return { kind, milliseconds: integer(value, 'milliseconds', DELAY_MILLISECONDS_MAX), ...reach }
  }
  const { forward = false } = value
  if (typeof forward !== 'boolean') throw new BadFault('forward is true or false')
  return { kind, forward, answer: readFailure(value['answer']), ...reach }
}

function countOf(value: JsonObject): { count?: number } {
  return value['count'] === undefined ? {} : { count: integer(value, 'count', COUNT_MAX) }
}

function readFailure(value: Json | undefined): Failure {
  if (value === 'http-500' || value === 'connection-reset') return value
  if (!isJsonObject(value)) {
    throw new BadFault('answer is "http-500", "connection-reset" or {code, message, data?}')
  }
  const { code, message, data } = value
  if (typeof code !== 'number' || typeof message !== 'string') {
    throw new BadFault('answer has a number code and a text message')
  }
  return data === undefined ? { code, message } : { code, message, data }
}

function readRival(value: Json, depth: number): { raw: string; block: number } {
  if (!isJsonObject(value)) throw new BadFault('a rival is {raw, block}')
  const { block } = value
  if (typeof block !== 'number' || !Number.isInteger(block) || block < 0 || block >= depth) {
    throw new BadFault('block of a rival is from 0 to depth - 1')
  }
  return { raw: matching(value, 'raw', /^0x([0-9a-f]{2})+$/i), block }
}

function methodsOf(value: JsonObject): { methods?: readonly string[] } {
  if (value['methods'] === undefined) return {}
  const methods = listOf(value, 'methods').filter((method) => typeof method === 'string')
  if (methods.length === 0) throw new BadFault('methods is a list of method names')
  return { methods }
}

function listOf(value: JsonObject, field: string): readonly Json[] {
  const list: Json | undefined = value[field] ?? []
  if (!isJsonArray(list)) throw new BadFault(`${field} is a list`)
  return list
}

function integer(value: JsonObject, field: string, max: number): number {
  const number = value[field]
  if (typeof number !== 'number' || !Number.isInteger(number) || number < 1 || number > max) {
    throw new BadFault(`${field} is a whole number from 1 to ${max}`)
  }
  return number
}

function matching(value: JsonObject, field: string, pattern: RegExp): string {
  const text = value[field]
  if (typeof text !== 'string' || !pattern.test(text)) {
    throw new BadFault(`${field} is text like ${pattern.source}`)
  }
  return text
}

function oneOf<T extends string>(value: JsonObject, field: string, choices: readonly T[]): T {
  const found = choices.find((choice) => choice === value[field])
  if (found === undefined) throw new BadFault(`${field} is one of ${choices.join(', ')}`)
  return found
}
