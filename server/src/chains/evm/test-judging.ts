import { baseUnits } from '@florin/wire/amount.ts'
import { expect } from 'vitest'
import { systemClock } from '../../kernel/clock.ts'
import { openLog } from '../../kernel/log.ts'
import type { ExactDemand, ExactPayments, ExactRead } from '../exact.ts'
import { until } from '../../kernel/until.ts'
import { postText } from '../json-rpc/post-text.ts'
import { addressFromBytes } from './account.ts'
import { connectEvm } from './connect.ts'
import { startTestChain } from './test-chain.ts'
import type { TestChain } from './test-chain.ts'
import { testNetwork, USDC } from './test-network.ts'
import { testPayer } from './test-payer.ts'
import type { AuthorizeOrder, TestPayer } from './test-payer.ts'

export const SELLER = addressFromBytes(new Uint8Array(20).fill(0x51))
const SETTLER = addressFromBytes(new Uint8Array(20).fill(0x53))
export const PRICE = baseUnits(10_000n)
/** Calls by what they hold: EIP-3009's own two, and the init code that asks for code. */
const CALLS = { 'a run': 'e3ee160e', 'its state': 'e94a0102', code: '60233803' } as const
/** The sizes of two codes, the first of which is small. */
const CODES = /"result":"0x0{60}[0-9a-f]{68}"/g

/** Of this test file, which is a process of its own. */
let world: TestChain

/** Starts the chain; whoever starts it ends it. */
export async function startJudging(): Promise<TestChain> {
  world = await startTestChain()
  await world.sandbox.fund(SELLER, 'USDC', '1')
  return world
}

/** A service's payments, and what its node says and was asked. */
export interface Scene {
  readonly exact: ExactPayments
  readonly time: { aheadMilliseconds: number }
  /** What the node says instead of what nothing gives back, and of an estimate that fails; and whether it has the code of anybody. */
  readonly node: {
    nothing: string
    estimate: string | undefined
    hasCodes: boolean
    refusesRuns: boolean
    /** Has no call run: it stands at another block than the one that shows everything else. */
    refusesEstimates: boolean
  }
  /** What the chain was asked since the last call of this. */
  asked(): readonly string[]
  /** Has something else asked of it, at once. */
  askBeside(): Promise<unknown>
  /** The requests in which that was asked. */
  readonly requests: readonly (readonly string[])[]
}

/** The payments of a service that has just started. */
export function openScene(): Scene {
  const time = { aheadMilliseconds: 0 }
  const node: Scene['node'] = {
    ...{
      nothing: '"0x"',
      estimate: undefined,
      hasCodes: true,
      refusesRuns: false,
      refusesEstimates: false,
    },
  }
  let asked: string[] = []
  const requests: string[][] = []
  /** Runs of many, refused as some nodes refuse what takes too much; and estimates. */
  const refused = (
    calls: readonly { method: string; params: readonly { to?: string; data?: string }[] }[],
    text: string,
  ) => {
    if (!node.refusesRuns && !node.refusesEstimates) return text
    const answers = [JSON.parse(text)].flat() as readonly { id: number }[]
    const error = { code: -32_000, message: 'out of gas: gas required exceeds allowance' }
    const changed = answers.map((one) => {
      const { method, params } = calls[one.id] ?? {}
      const { to, data } = params?.[0] ?? {}
      const isShared = to === undefined && data?.includes(CALLS['a run']) === true
      const isEstimate = method === 'eth_estimateGas'
      const isRefused = (isShared && node.refusesRuns) || (isEstimate && node.refusesEstimates)
      return isRefused ? { jsonrpc: '2.0', id: one.id, error } : one
    })
    return JSON.stringify(changed.length === 1 ? changed[0] : changed)
  }
  const chain = connectEvm({
    config: testNetwork([world.sandbox.rpcUrl]),
    log: openLog('silent'),
    clock: {
      ...systemClock,
      nowMilliseconds: () => systemClock.nowMilliseconds() + time.aheadMilliseconds,
    },
    callSeconds: 30,
    post: (posting) => {
      const calls = [JSON.parse(posting.body)].flat() as readonly {
        method: string
        params: readonly { to?: string; data?: string }[]
      }[]
      const names: string[] = []
      for (const { method, params } of calls) {
        if (method === 'eth_estimateGas') names.push('an estimate')
        if (method !== 'eth_call') continue
        for (const [name, bytes] of Object.entries(CALLS)) {
          if (params[0]?.data?.includes(bytes)) names.push(name)
        }
      }
      asked.push(...names)
      requests.push(names)
      const { answer, abandon } = postText(posting)
      const changed = answer.then(({ status, text: said }) => {
        const text = refused(calls, said)
        if (names.includes('an estimate') && node.estimate !== undefined) {
          const estimate = `"result":${node.estimate}`
          return { status, text: text.replaceAll(/"error":\{.*?\}(?=\})/g, estimate) }
        }
        const none = `"result":"0x${'0'.repeat(128)}"`
        const coded = node.hasCodes ? text : text.replaceAll(CODES, none)
        return { status, text: coded.replaceAll('"result":"0x"', `"result":${node.nothing}`) }
      })
      return { answer: changed, abandon }
    },
  })
  if (chain.exact === undefined) throw new Error('no exact')
  return {
    time,
    node,
    exact: chain.exact,
    requests,
    askBeside: () => chain.head(),
    asked: () => {
      const all = asked.toSorted()
      asked = []
      return all
    },
  }
}

/** The same after it has found a payment in the token good. */
export async function openKnowing(): Promise<Scene> {
  const scene = openScene()
  const read = await readFrom(scene, await funded())
  if (!read.ok) throw new Error(read.reason)
  expect(await scene.exact.draft(read.authorization, SETTLER)).toMatchObject({ ok: true })
  scene.asked()
  return scene
}

export async function funded(): Promise<TestPayer> {
  const payer = testPayer()
  await world.sandbox.fund(payer.address, 'USDC', '1')
  return payer
}

/** A payment as a settlement of something new reads it. */
export async function readFrom(
  { exact }: Scene,
  payer: TestPayer,
  change: Partial<AuthorizeOrder> = {},
  wanted: Partial<ExactDemand> = {},
): Promise<ExactRead> {
  const payload = await payer.authorize({ asset: USDC, to: SELLER, amount: PRICE, ...change })
  return exact.read(payload, demand(wanted))
}

export function demand(wanted: Partial<ExactDemand>): ExactDemand {
  return {
    ...{ asset: USDC, payTo: SELLER, amount: PRICE, extra: { name: 'USDC', version: '2' } },
    ...{ settlers: new Set(), judgedBy: 'draft', ...wanted },
  }
}

export async function draftOf(scene: Scene, read: ExactRead): ReturnType<ExactPayments['draft']> {
  if (!read.ok) throw new Error(read.reason)
  return await scene.exact.draft(read.authorization, SETTLER)
}

/** As the sender would, from a key of its own. */
export async function settle({ exact }: Scene, read: ExactRead): Promise<void> {
  if (!read.ok) throw new Error(read.reason)
  const wallet = await world.wallet(['native', '1'])
  const drafted = await exact.draft(read.authorization, wallet.address)
  if (!drafted.ok) throw new Error(drafted.reason)
  const signed = await world.chain.sign(drafted.draft.terms, 0n, wallet.signer)
  await world.chain.broadcast([signed.raw])
  const isMined = async () => (await world.chain.outcomes([signed.hash]))[0]?.state === 'mined'
  await until('it is mined', isMined, { seconds: 30 })
}
