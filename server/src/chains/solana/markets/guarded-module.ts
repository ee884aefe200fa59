import type { Address } from '../../chain.ts'
import { isObject } from '../../json-rpc/answer.ts'
import { NotCarried } from '../../venue.ts'
import { parseAddress } from '../account.ts'
import type { Instruction } from '../message.ts'
import type { ModuleQuote, ProgramTrade, ProgramVenue } from '../venue-module.ts'

/** Told of every failure of a function, by its name. */
export type OnModuleFailure = (what: string, error: unknown) => void

const U64_MAX = 2n ** 64n - 1n
/** More does not fit a transaction. */
const DATA_BYTES_MAX = 1_024
const TRADE_ACCOUNTS_MAX = 64
const ACCOUNTS_MAX = 16
/** What a first trade may make at the wallet's cost. */
const OPENS_MAX = 2
const OPENED_BYTES_MAX = 1_024
const ROUTE_ENTRIES_MAX = 8
const ROUTE_CHARACTERS_MAX = 128
const FUNCTIONS = ['accounts', 'quote', 'trade', 'opens', 'read'] as const

/**
 * A module's venue that answers as its types say or throws NotCarried, whatever the module does: somebody else's bug is that venue's alone.
 * Throws RangeError where it is no venue at all.
 */
export function guarded(venue: ProgramVenue, onFailure: OnModuleFailure): ProgramVenue {
  const dataBytes = countFrom(venue.dataBytes, DATA_BYTES_MAX, 'dataBytes')
  for (const name of FUNCTIONS) {
    if (typeof venue[name] !== 'function') throw wrong(name)
  }
  if (dataBytes === 0) throw wrong('dataBytes')

  function ask<Told>(what: string, tell: () => unknown, check: (told: unknown) => Told): Told {
    try {
      const told = tell()
      // Nobody waits for it, and a rejection that nobody takes ends the process.
      if (told instanceof Promise) told.catch(() => undefined)
      return check(told)
    } catch (error) {
      onFailure(what, error)
      throw new NotCarried(`a venue from outside fails at its ${what}`)
    }
  }

  return {
    dataBytes,
    accounts: (mint) =>
      ask(
        'accounts',
        () => venue.accounts(mint),
        (told) => listOf(told, ACCOUNTS_MAX, 'accounts').map((each) => addressOf(each, 'account')),
      ),
    quote: (order, accounts) => ask('quote', () => venue.quote(order, accounts), quoteFrom),
    trade: (order, accounts) =>
      ask(
        'trade',
        () => venue.trade(order, accounts),
        (told) => instructionFrom(told, dataBytes),
      ),
    opens: (wallet) => ask('opens', () => venue.opens(wallet), opensFrom),
    read: (call) => ask('read', () => venue.read(call), tradeFrom),
  }
}

function quoteFrom(told: unknown): ModuleQuote {
  const { ok, refusal, amountOut, priceImpactBasisPoints, route } = fieldsOf(told, 'quote')
  if (ok === false && (refusal === 'no_market' || refusal === 'insufficient_liquidity')) {
    return { ok, refusal }
  }
  if (ok !== true) throw wrong('ok')
  return {
    ok,
    amountOut: amountOf(amountOut, 'amountOut'),
    priceImpactBasisPoints:
      priceImpactBasisPoints === null ? null : amountOf(priceImpactBasisPoints, 'price impact'),
    route: routeFrom(route),
  }
}

function routeFrom(told: unknown): Readonly<Record<string, string>> {
  const entries = Object.entries(fieldsOf(told, 'route'))
  if (entries.length > ROUTE_ENTRIES_MAX) throw wrong('route')
  return Object.fromEntries(
    entries.map(([name, value]) => {
      if (typeof value !== 'string') throw wrong('route')
      if (name.length + value.length > ROUTE_CHARACTERS_MAX) throw wrong('route')
      return [name, value]
    }),
  )
}

function instructionFrom(told: unknown, dataBytes: number): Instruction {
  const { program, accounts, data } = fieldsOf(told, 'instruction')
  if (!(data instanceof Uint8Array) || data.length !== dataBytes) throw wrong('data')
  return {
    program: addressOf(program, 'program'),
    accounts: listOf(accounts, TRADE_ACCOUNTS_MAX, 'accounts').map((each) => {
      const { address, isWritable } = fieldsOf(each, 'account')
      if (typeof isWritable !== 'boolean') throw wrong('isWritable')
      return { address: addressOf(address, 'account'), isWritable }
    }),
    data: Uint8Array.from(data),
  }
}

function opensFrom(told: unknown): ReturnType<ProgramVenue['opens']> {
  return listOf(told, OPENS_MAX, 'opens').map((each) => {
    const { address, bytes } = fieldsOf(each, 'opened account')
    return {
      address: addressOf(address, 'opened account'),
      bytes: countFrom(bytes, OPENED_BYTES_MAX, 'bytes'),
    }
  })
}

function tradeFrom(told: unknown): ProgramTrade | undefined {
  if (told === undefined) return undefined
  const { side, wallet, mint, amountIn, minimumOut, counterparty } = fieldsOf(told, 'trade')
  if (side !== 'buy' && side !== 'sell') throw wrong('side')
  return {
    side,
    wallet: addressOf(wallet, 'wallet'),
    mint: addressOf(mint, 'mint'),
    amountIn: amountOf(amountIn, 'amountIn'),
    minimumOut: amountOf(minimumOut, 'minimumOut'),
    counterparty: addressOf(counterparty, 'counterparty'),
  }
}

function wrong(what: string): RangeError {
  return new RangeError(`what it says of its ${what} is none`)
}

function fieldsOf(told: unknown, what: string): Readonly<Record<string, unknown>> {
  if (!isObject(told)) throw wrong(what)
  return told
}

function listOf(told: unknown, max: number, what: string): readonly unknown[] {
  if (!Array.isArray(told) || told.length > max) throw wrong(what)
  return Array.from<unknown>(told)
}

function amountOf(told: unknown, what: string): bigint {
  if (typeof told !== 'bigint' || told < 0n || told > U64_MAX) throw wrong(what)
  return told
}

function addressOf(told: unknown, what: string): Address {
  const address = typeof told === 'string' ? parseAddress(told) : undefined
  if (address === undefined) throw wrong(what)
  return address
}

function countFrom(told: unknown, max: number, what: string): number {
  if (typeof told !== 'number' || !Number.isInteger(told) || told < 0 || told > max) {
    throw wrong(what)
  }
  return told
}
