import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import {
  createSolanaRpc,
  address,
  generateKeyPairSigner,
  getBase64EncodedWireTransaction,
  getTransactionDecoder,
  partiallySignTransaction,
  getSignatureFromTransaction,
} from '@solana/kit'
import type { KeyPairSigner } from '@solana/kit'
import type { JsonObject } from '../host/json.ts'
import { isJsonObject, parseJson } from '../host/json.ts'
import type { Ready } from '../ready.ts'
import { oneOf, shareOf } from './chance.ts'
import { fillUp } from './faucet.ts'
import type { Trader } from './traders.ts'

const FUNDS = '1000'
const LOW = 100_000_000_000n
/** The most that one trade pays, in lamports; thousandths of it are drawn. */
const STAKE = 4_000_000_000n
const COMPUTE_UNITS = 200_000
const POLL_MILLISECONDS = 200
const LOOKS_MAX = 100

/** Trades with the sandbox's maker, with a key that lives as long as the process. */
export function openSolanaTrader({ solana, faucet }: Ready): Trader {
  const rpc = createSolanaRpc(solana.rpcUrl)
  const mints = [solana.usdc, ...solana.tokens.map(({ mint }) => mint)]
  /** What it has bought and not sold, base units. */
  const held = new Map<string, bigint>()
  let key: Promise<KeyPairSigner> | undefined

  async function ask(what: 'quote' | 'sign', body: JsonObject, signal: AbortSignal) {
    const answer = await fetch(`${solana.maker.url}/${what}`, {
      method: 'POST',
      body: JSON.stringify(body),
      signal,
    })
    const said = parseJson(await answer.text())
    if (!answer.ok || !isJsonObject(said)) throw new Error(`the maker answered ${answer.status}`)
    return said
  }

  async function swap(
    signer: KeyPairSigner,
    order: { side: 'buy' | 'sell'; mint: string; amountIn: bigint },
    signal: AbortSignal,
  ): Promise<bigint> {
    const taker = signer.address
    const { side, mint, amountIn } = order
    const quote = await ask('quote', { side, mint, amountIn: `${amountIn}`, taker }, signal)
    const { quoteId = null } = quote
    const choice = { memo: randomUUID(), computeUnits: COMPUTE_UNITS, pricePerUnit: '0' }
    const signed = await ask('sign', { quoteId, taker, ...choice }, signal)
    const bytes = Buffer.from(textOf(signed, 'transaction'), 'base64')
    const transaction = await partiallySignTransaction(
      [signer.keyPair],
      getTransactionDecoder().decode(bytes),
    )
    const wire = getBase64EncodedWireTransaction(transaction)
    await rpc.sendTransaction(wire, { encoding: 'base64' }).send({ abortSignal: signal })
    const signature = getSignatureFromTransaction(transaction)
    for (let look = 0; look < LOOKS_MAX; look += 1) {
      const { value } = await rpc.getSignatureStatuses([signature]).send({ abortSignal: signal })
      const status = value[0] ?? null
      if (status !== null) {
        if (status.err !== null) throw new Error('the trade failed')
        return BigInt(textOf(quote, 'amountOut'))
      }
      await delay(POLL_MILLISECONDS, undefined, { signal })
    }
    throw new Error('the trade is in no block')
  }

  return {
    trade: async (signal) => {
      const signer = await (key ??= generateKeyPairSigner())
      const { value } = await rpc.getBalance(address(signer.address)).send({ abortSignal: signal })
      if (value < LOW) {
        const { network } = solana
        await fillUp(faucet.url, { address: signer.address, network, amount: FUNDS }, signal)
      }
      const mint = oneOf(mints)
      const have = held.get(mint) ?? 0n
      if (have > 1_000n && oneOf([true, false])) {
        const amountIn = shareOf(have, 50, 900)
        await swap(signer, { side: 'sell', mint, amountIn }, signal)
        held.set(mint, have - amountIn)
        return
      }
      const amountIn = shareOf(STAKE, 10, 1_000)
      held.set(mint, have + (await swap(signer, { side: 'buy', mint, amountIn }, signal)))
    },
  }
}

function textOf(said: JsonObject, name: string): string {
  const value = said[name]
  if (typeof value !== 'string') throw new Error(`the maker said no ${name}`)
  return value
}
