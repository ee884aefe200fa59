import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Florin } from '@florin/sdk'
import { addressOfPrivateKey } from '@florin/server/chains/solana/ed25519.ts'
import { addressBytes } from '@florin/server/chains/solana/account.ts'
import { createKeyPairSignerFromPrivateKeyBytes } from '@solana/kit'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Address } from '@florin/server/chains/chain.ts'
import { FLORIN, runFlorin } from './actors/florin.ts'
import { aPurchase, offerOf } from './actors/seller.ts'
import { aSolanaPurchase } from './actors/solana-purchase.ts'
import { openWorld } from './actors/world.ts'
import type { World } from './actors/world.ts'

const exampleOf = (name: string) => fileURLToPath(new URL(`../examples/${name}`, import.meta.url))

let world: World
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'florin-own-'))
  world = await openWorld({ solana: true })
}, 240_000)
afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
  await world.stop()
}, 240_000)

const access = () => {
  const { baseUrl, apiKeys } = world.service()
  return { baseUrl, apiKey: apiKeys.enterprise }
}
const environment = () => ({
  FLORIN_BASE_URL: access().baseUrl,
  FLORIN_API_KEY: access().apiKey,
})

/** A key of nobody's that holds ten coins and a hundred USDC. */
async function evmKey() {
  const key = generatePrivateKey()
  const account = privateKeyToAccount(key)
  await world.sandbox.fund(account.address, 'native', '10')
  await world.sandbox.fund(account.address, 'USDC', '100')
  return { key, account }
}

async function solanaKey() {
  const seed = new Uint8Array(randomBytes(32))
  const address = addressOfPrivateKey(seed)
  await world.sandbox.fund(address, 'native', '10')
  await world.sandbox.fund(address, 'USDC', '100')
  return { seed, address, pair: [...seed, ...addressBytes(address)] }
}

async function keyFile(name: string, text: string, mode = 0o600): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, text, { mode })
  return path
}

async function run(example: string, more: Readonly<Record<string, string>>): Promise<string> {
  const child = spawn(process.execPath, [FLORIN, 'exec', exampleOf(example)], {
    env: { ...environment(), ...more },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
  }
  await once(child, 'close')
  return output
}

describe('the examples run', () => {
  test('on EVM with viem, twice, and pay once', async () => {
    const { key, account } = await evmKey()
    const recipient = world.newAddress()
    const settings = {
      PAYER_KEY: key,
      FLORIN_EVM_RPC_URL: world.sandbox.rpcUrl,
      FLORIN_EVM_USDC: world.sandbox.usdc,
      FLORIN_WALLET_EVM_2: recipient,
    }
    const first = await run('self-custody-evm.ts', settings)
    expect(first).toMatch(/^pay_\w{22} settled in block \d+\n$/)
    expect(await run('self-custody-evm.ts', settings)).toBe(first)
    expect(await world.balanceOf(recipient, 'USDC')).toBe(2_500_000n)
    expect(await world.balanceOf(account.address, 'USDC')).toBe(97_500_000n)
  })

  test('on Solana with kit', async () => {
    const { pair } = await solanaKey()
    const recipient = world.newAddress('solana')
    const output = await run('self-custody-solana.ts', {
      PAYER_KEYFILE: await keyFile('id.json', JSON.stringify(pair)),
      FLORIN_SOLANA_RPC_URL: world.sandbox.solana.rpcUrl,
      FLORIN_WALLET_SOLANA_2: recipient,
    })
    expect(output).toMatch(/^pay_\w{22} settled in block \d+\n$/)
    expect(await world.balanceOf(recipient)).toBe(250_000_000n)
  })
})

describe('the seller’s side', () => {
  test('the example on EVM settles with a wallet of its own', async () => {
    const { key, account } = await evmKey()
    const bought = await aPurchase(world, { to: account.address as string as Address })
    const output = await run('settle-own-evm.ts', {
      SELLER_KEY: key,
      PAYMENT_HEADER: offerOf(bought).paymentProof,
      FLORIN_EVM_RPC_URL: world.sandbox.rpcUrl,
    })
    expect(output).toMatch(/^pay_\w{22} (confirmed|settled) by 0x[0-9a-f]{64}\n$/)
    expect(await world.balanceOf(account.address, 'USDC')).toBe(100_010_000n)
  })

  test('the example on Solana settles with a wallet of its own, which pays the network', async () => {
    const { address, pair } = await solanaKey()
    const bought = await aSolanaPurchase(world, address)
    const before = await world.balanceOf(address)
    const output = await run('settle-own-solana.ts', {
      SELLER_KEYFILE: await keyFile('seller.json', JSON.stringify(pair)),
      PAYMENT_HEADER: offerOf(bought).paymentProof,
      FLORIN_SOLANA_RPC_URL: world.sandbox.solana.rpcUrl,
    })
    expect(output).toMatch(/^pay_\w{22} (confirmed|settled) by [1-9A-HJ-NP-Za-km-z]{87,88}\n$/)
    expect(await world.balanceOf(address, 'USDC')).toBe(100_010_000n)
    expect(await world.balanceOf(address)).toBeLessThan(before)
  })

  test('signAndSend settles what a buyer sent, with accounts of viem and signers of kit', async () => {
    const florin = new Florin(access())
    const { account } = await evmKey()
    const { seed } = await solanaKey()
    const signer = await createKeyPairSignerFromPrivateKeyBytes(seed)
    const onEvm = await aPurchase(world, { to: account.address as string as Address })
    const onSolana = await aSolanaPurchase(world, signer.address)
    const { transactions } = florin
    const given = (bought: typeof onEvm | typeof onSolana) => {
      const { paymentProof, expectedAmount } = offerOf(bought)
      return { paymentProof, expectedAmount }
    }
    const wrong = { ...given(onEvm), asset: 'native' }
    await expect(transactions.signAndSend(wrong, account)).rejects.toThrow()
    const sent = [
      await transactions.signAndSend(given(onEvm), account),
      await transactions.signAndSend(given(onSolana), signer),
    ]
    for (const { paymentId, signature } of sent) {
      const payment = await florin.payments.wait(paymentId, { until: 'confirmed' })
      expect(payment).toMatchObject({ signature, type: 'received', amount: '0.01' })
    }
  })

  test('signs no settlement that does something else', async () => {
    const florin = new Florin(access())
    const { account } = await evmKey()
    const { seed } = await solanaKey()
    const signer = await createKeyPairSignerFromPrivateKeyBytes(seed)
    const onEvm = await aPurchase(world, { to: account.address as string as Address })
    const onSolana = await aSolanaPurchase(world, signer.address)
    for (const [bought, wallet] of [[onEvm, account] as const, [onSolana, signer] as const]) {
      const offer = { ...offerOf(bought), walletAddress: wallet.address as string }
      const build = await florin.transactions.receive(offer)
      const signs = (order: typeof offer) => florin.transactions.sign(build, wallet, { order })
      const differs = { code: 'BUILD_DIFFERS' }
      await expect(signs({ ...offer, expectedAmount: '0.02' })).rejects.toMatchObject(differs)
      const another = world.newAddress(wallet === signer ? 'solana' : 'evm')
      await expect(signs({ ...offer, walletAddress: another })).rejects.toMatchObject(differs)
      const payment = { walletAddress: wallet.address, recipientAddress: another, amount: '0.01' }
      await expect(
        florin.transactions.sign(build, wallet, { order: { ...payment, asset: 'USDC' } }),
      ).rejects.toMatchObject(differs)
      const transaction = await signs(offer)
      await florin.transactions.submit({ transaction, network: build.network })
      await florin.payments.wait(build.paymentId, { until: 'confirmed' })
    }
  })
})

describe('the client', () => {
  test('signs and sends with accounts of viem and signers of kit as they are', async () => {
    const florin = new Florin(access())
    const evm = await evmKey()
    const solana = await solanaKey()
    const signer = await createKeyPairSignerFromPrivateKeyBytes(solana.seed)
    const recipients = { evm: world.newAddress(), solana: world.newAddress('solana') }
    const sent = [
      await florin.transactions.signAndSend(
        { recipientAddress: recipients.evm, amount: '1.5', asset: 'USDC' },
        evm.account,
      ),
      await florin.transactions.signAndSend(
        { recipientAddress: recipients.solana, amount: '1.5', asset: 'USDC' },
        signer,
      ),
    ]
    for (const { paymentId, signature } of sent) {
      const payment = await florin.payments.wait(paymentId, { until: 'confirmed' })
      expect(payment).toMatchObject({ signature, amount: '1.5' })
    }
    expect(await world.balanceOf(recipients.evm, 'USDC')).toBe(1_500_000n)
    expect(await world.balanceOf(recipients.solana, 'USDC')).toBe(1_500_000n)
  })

  test('gives a build up when the wallet says no', async () => {
    const florin = new Florin(access())
    const { account } = await evmKey()
    let paymentId = ''
    const order = { recipientAddress: world.newAddress(), amount: '1' }
    const review = (build: { paymentId: string }) => {
      ;({ paymentId } = build)
      throw new Error('no')
    }
    await expect(florin.transactions.signAndSend(order, account, { review })).rejects.toThrow('no')
    expect(await florin.payments.status(paymentId)).toMatchObject({ status: 'pending' })
    const next = await florin.transactions.build({ ...order, walletAddress: account.address })
    expect(next.unsigned?.nonce).toBe(0)
    // It is used by something else, so that nothing is left open.
    const transaction = await florin.transactions.sign(next, account)
    await florin.transactions.submit({ transaction, network: next.network })
    await florin.payments.wait(next.paymentId, { until: 'confirmed' })
  })
})

describe('florin pay --self-custody', () => {
  const florin = (...args: string[]) => runFlorin(args, folder, environment())

  test('pays with the key of a file on both chains, once per idempotency key', async () => {
    const evm = await keyFile('evm.key', (await evmKey()).key)
    const solana = await keyFile('solana.json', JSON.stringify((await solanaKey()).pair))
    for (const [path, family] of [
      [evm, 'evm'],
      [solana, 'solana'],
    ] as const) {
      const recipient = world.newAddress(family)
      const command = ['pay', recipient, '2', '--asset', 'USDC', '--idempotency-key', family]
      const own = ['--self-custody', '--keyfile', path, '--wait', 'confirmed', '--json']
      const first = await florin(...command, ...own)
      expect(first).toMatchObject({ code: 0 })
      if (family === 'evm') {
        expect(await florin(...command, ...own)).toMatchObject({ code: 0 })
      }
      expect(await world.balanceOf(recipient, 'USDC')).toBe(2_000_000n)
    }
  })

  test('refuses a file that others can read, one without a key, and half of the flags', async () => {
    const recipient = world.newAddress()
    const open = await keyFile('open.key', generatePrivateKey(), 0o644)
    const wrong = await keyFile('wrong.key', 'this is not a key at all, as everybody can see')
    const pay = (...args: string[]) => florin('pay', recipient, '1', ...args)
    const said = [
      [await pay('--self-custody', '--keyfile', open), 1, 'chmod 600'],
      [await pay('--self-custody', '--keyfile', wrong), 1, 'holds no private key'],
      [await pay('--self-custody', '--keyfile', join(folder, 'none')), 1, 'is not there'],
      [await pay('--self-custody'), 2, 'belong together'],
      [await pay('--keyfile', wrong), 2, 'belong together'],
    ] as const
    for (const [{ code, stderr }, wanted, words] of said) {
      expect(stderr).toContain(words)
      expect(code).toBe(wanted)
    }
  })
})
