import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { SandboxFile } from '@florin/cli/sandbox-file.ts'
import { formatAmount } from '@florin/wire/amount.ts'
import { getAddress } from 'viem'
import type { Client, Reply } from './client.ts'
import { codeOf, detailsOf, openClient } from './client.ts'
import type { Entry, Journal } from './journal.ts'
import { newSolanaAddress } from './solana-client.ts'

/** A request that is asked again this long without a definite answer is a failure of its own. */
const ANSWER_SECONDS = 90
/** Longer than any answer may take: the service gives up on a request before that. */
const REPLY_SECONDS = 80
const BACK_OFF_MILLISECONDS_MIN = 20
const BACK_OFF_MILLISECONDS_MAX = 300
const PAUSE_MILLISECONDS_MAX = 150
const WAITS = ['submitted', 'confirmed', 'confirmed', 'settled'] as const
const WAIT_SECONDS_MAX = 5
/** The least SOL is above the rent of a new account (890,880 lamports), so that every recipient may be new. */
const KINDS = [
  { family: 'evm', asset: 'native', decimals: 18, least: 10n ** 15n },
  { family: 'evm', asset: 'USDC', decimals: 6, least: 10n ** 3n },
  { family: 'solana', asset: 'native', decimals: 9, least: 10n ** 6n },
  { family: 'solana', asset: 'USDC', decimals: 6, least: 10n ** 3n },
] as const

export interface PayersOptions {
  readonly info: SandboxFile
  readonly journal: Journal
  /** Aborts when no new payment shall begin; what was begun goes on to its answer. */
  readonly enough: AbortSignal
}

/** A worker: one payment after the other, each asked for with one key until there is a definite answer. */
export async function payUntil(
  name: string,
  random: () => number,
  { info, journal, enough }: PayersOptions,
): Promise<void> {
  const client = openClient(info.baseUrl, info.apiKeys.enterprise)
  for (let number = 0; !enough.aborted; number += 1) {
    const entry = newEntry(`${name}-${number}`, random, info)
    journal.add(entry)
    await insist(client, entry, journal)
    await delay(random() * PAUSE_MILLISECONDS_MAX)
  }
}

/** A reader: looks acknowledged payments up at random. None may be unknown, and settled is for ever. */
export async function readUntil(
  random: () => number,
  { info, journal, enough }: PayersOptions,
): Promise<void> {
  const client = openClient(info.baseUrl, info.apiKeys.enterprise)
  while (!enough.aborted) {
    const entry = journal.entries[Math.floor(random() * journal.entries.length)]
    if (entry?.paymentId !== undefined) await look(client, entry, journal)
    await delay(random() * PAUSE_MILLISECONDS_MAX)
  }
}

/** One look at an acknowledged payment; false while nobody answers or it is not settled yet. */
export async function look(client: Client, entry: Entry, journal: Journal): Promise<boolean> {
  const wasSettled = entry.settled
  const reply = await client.get(`/payment/status/${entry.paymentId}`).catch(() => undefined)
  if (reply === undefined || reply.status === 503) return false
  const { body } = reply
  entry.settled = body['status'] === 'settled'
  if (reply.status !== 200 || (wasSettled && !entry.settled) || body['status'] === 'failed') {
    journal.break(entry, `a look at its status gave ${told(reply)}`)
  }
  return entry.settled
}

function newEntry(key: string, random: () => number, { wallets }: SandboxFile): Entry {
  const kind = KINDS[Math.floor(random() * KINDS.length)] ?? KINDS[0]
  const payers = wallets.filter(({ family }) => family === kind.family)
  const wallet = payers[Math.floor(random() * payers.length)]
  const amountBaseUnits = kind.least + BigInt(Math.floor(random() * Number(kind.least)))
  const recipient =
    kind.family === 'evm' ? getAddress(`0x${randomBytes(20).toString('hex')}`) : newSolanaAddress()
  return {
    key,
    family: kind.family,
    asset: kind.asset,
    amountBaseUnits,
    recipient,
    order: {
      walletAddress: wallet?.address,
      recipientAddress: recipient,
      amount: formatAmount(amountBaseUnits, kind.decimals),
      asset: kind.asset,
      waitFor: WAITS[Math.floor(random() * WAITS.length)],
      timeout: 1 + Math.floor(random() * WAIT_SECONDS_MAX),
    },
    paymentId: undefined,
    settled: false,
    tries: 0,
    heard: [],
  }
}

/** Sends the same request with the same key until it is answered for good. */
async function insist(client: Client, entry: Entry, journal: Journal): Promise<void> {
  const deadline = performance.now() + ANSWER_SECONDS * 1000
  let pause = BACK_OFF_MILLISECONDS_MIN
  while (performance.now() < deadline) {
    const reply = await ask(client, entry, journal)
    if (reply?.status === 200) {
      acknowledge(entry, reply, journal)
      return
    }
    if (reply !== undefined && !mayBeRepeated(reply)) {
      journal.break(entry, `refused for good: ${told(reply)}`)
      return
    }
    await delay(pause)
    pause = Math.min(pause * 2, BACK_OFF_MILLISECONDS_MAX)
  }
  journal.break(entry, `no definite answer within ${ANSWER_SECONDS} s`)
}

async function ask(client: Client, entry: Entry, journal: Journal): Promise<Reply | undefined> {
  const over = new AbortController()
  const late = delay(REPLY_SECONDS * 1000, undefined, { signal: over.signal }).then(
    () => {
      throw new Error(`silence for ${REPLY_SECONDS} s`)
    },
    () => undefined,
  )
  try {
    const asked = client.post('/payment/send', entry.order, { 'idempotency-key': entry.key })
    const reply = await Promise.race([asked, late])
    if (reply !== undefined) journal.hear(entry, told(reply))
    return reply
  } catch (error) {
    const { message, cause } = error as Error
    if (message.startsWith('silence')) journal.break(entry, message)
    journal.hear(entry, cause instanceof Error ? `${message}: ${cause.message}` : message)
    return undefined
  } finally {
    over.abort()
  }
}

/** Answers that leave it open, or say that nothing was stored; an error after a commit names the payment. */
export function mayBeRepeated(reply: Reply): boolean {
  if (reply.status === 503 || codeOf(reply) === 'IDEMPOTENCY_CONFLICT') return true
  return reply.status === 500 && detailsOf(reply)['paymentId'] !== undefined
}

function acknowledge(entry: Entry, reply: Reply, journal: Journal): void {
  const { paymentId, amountBaseUnits, recipient, success } = reply.body
  const isRight =
    success === true &&
    amountBaseUnits === String(entry.amountBaseUnits) &&
    recipient === entry.recipient
  if (typeof paymentId !== 'string' || !isRight) {
    journal.break(entry, `a success that tells something else: ${told(reply)}`)
    return
  }
  entry.paymentId = paymentId
}

/** The part of a reply that tells what happened. */
function told({ status, body }: Reply): string {
  if (body['error'] !== undefined) {
    const { code, message, details } = body['error'] as Record<string, unknown>
    return `${status} ${JSON.stringify({ code, message, details })}`
  }
  const { paymentId, status: reached, signature } = body
  return `${status} ${JSON.stringify({ paymentId, reached, signature })}`
}
