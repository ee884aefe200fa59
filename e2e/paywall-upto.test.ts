import { setAmount } from '@florin/sdk'
import { x402Client } from '@x402/core/client'
import { toClientEvmSigner } from '@x402/evm'
import { UptoEvmScheme } from '@x402/evm/upto/client'
import { wrapFetchWithPayment } from '@x402/fetch'
import { createPublicClient, createWalletClient, erc20Abi, http, publicActions } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { baseSepolia } from 'viem/chains'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { FRAMEWORKS, openPaidShop } from './actors/paid-shop.ts'
import type { Framework, Handler } from './actors/paid-shop.ts'
import { startSandbox } from './actors/sandbox.ts'
import type { SandboxHandle } from './actors/sandbox.ts'
import { openUptoService } from './actors/upto-service.ts'

const NETWORK = 'eip155:84532'
const PERMIT2 = '0x000000000022D473030F116dDEE9F6B43aC78BA3'
const USDC = '0x036CbD53842c5426634e7929541eC2318f3dCF7e'
const FUNDS = 10_000_000n

let sandbox: SandboxHandle
let florin: Awaited<ReturnType<typeof openUptoService>>

beforeAll(async () => {
  sandbox = await startSandbox({ faults: false })
  florin = await openUptoService(sandbox)
})
afterAll(() => sandbox.stop())

/** A shop whose visits cost a tenth of a dollar at most, and a stock client with ten dollars. */
async function openScene(framework: Framework, kind: 'warm' | 'cold', handler: Handler) {
  const account = privateKeyToAccount(generatePrivateKey())
  const payTo = privateKeyToAccount(generatePrivateKey()).address
  await sandbox.fund(account.address, 'USDC', '10')
  const transport = http(sandbox.rpcUrl)
  if (kind === 'warm') {
    await sandbox.fund(account.address)
    const wallet = createWalletClient({
      ...{ account, chain: baseSepolia, transport },
      pollingInterval: 20,
    }).extend(publicActions)
    const hash = await wallet.writeContract({
      ...{ address: USDC, abi: erc20Abi, functionName: 'approve' },
      args: [PERMIT2, 2n ** 256n - 1n],
    })
    await wallet.waitForTransactionReceipt({ hash })
  }
  const price = { amount: '0.10', asset: 'USDC', network: NETWORK, payTo, scheme: 'upto' } as const
  const problems: string[] = []
  const onProblem = (code: string) => problems.push(code)
  const shop = await openPaidShop(framework, florin, { ...price, onProblem }, handler)
  const reader = createPublicClient({ transport })
  const scheme = new UptoEvmScheme(toClientEvmSigner(account, reader))
  const client = new x402Client().register(NETWORK, scheme)
  const balanceOf = (owner: `0x${string}`) =>
    reader.readContract({
      ...{ address: USDC, abi: erc20Abi, functionName: 'balanceOf', args: [owner] },
    })
  return {
    stop: shop.stop,
    problems,
    /** Buys as any stock client does, and keeps the proof. */
    async buy() {
      let proof = ''
      const asking: typeof fetch = (url, init) => {
        const request = new Request(url, init)
        proof = request.headers.get('payment-signature') ?? proof
        return fetch(request)
      }
      const answer = await wrapFetchWithPayment(asking, client)(shop.url)
      return { answer, again: () => fetch(shop.url, { headers: { 'payment-signature': proof } }) }
    },
    spent: async () => FUNDS - (await balanceOf(account.address)),
    earned: () => balanceOf(payTo),
  }
}

describe.each(FRAMEWORKS)('behind %s', (framework) => {
  test.each(['warm', 'cold'] as const)(
    'a stock client of upto pays what its visit cost from a %s wallet, before the answer goes out',
    async (kind) => {
      const scene = await openScene(framework, kind, (carrier) => {
        setAmount(carrier, '0.10')
        setAmount(carrier, '0.03')
        return { goods: true }
      })
      try {
        const { answer, again } = await scene.buy()
        expect([answer.status, await answer.json()]).toEqual([200, { goods: true }])
        expect(answer.headers.get('cache-control')).toBe('private, no-store')
        const told: unknown = JSON.parse(atob(answer.headers.get('payment-response') ?? ''))
        expect(told).toMatchObject({ success: true, network: NETWORK, amount: '30000' })
        expect([await scene.spent(), await scene.earned()]).toEqual([30_000n, 30_000n])
        expect((await again()).status).toBe(409)
        expect([await scene.spent(), scene.problems]).toEqual([30_000n, []])
      } finally {
        await scene.stop()
      }
    },
  )

  test('more than the buyer signed for is an error of the handler, and nothing is taken', async () => {
    const scene = await openScene(framework, 'cold', (carrier) => {
      setAmount(carrier, '0.11')
      return { goods: true }
    })
    try {
      const { answer } = await scene.buy()
      expect(answer.status).toBe(500)
      expect(await answer.text()).not.toContain('goods')
      expect([await scene.spent(), await scene.earned()]).toEqual([0n, 0n])
    } finally {
      await scene.stop()
    }
  })
})
