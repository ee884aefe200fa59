import { execFile, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { stat } from 'node:fs/promises'
import { createServer } from 'node:net'
import { promisify } from 'node:util'
import { createPublicClient, erc20Abi, getAddress, http } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dataPaths } from '@florin/cli/data-paths.ts'
import { until } from '@florin/server/kernel/until.ts'
import { openClient } from './actors/client.ts'
import {
  FLORIN,
  bareEnvironment,
  processesOf,
  runFlorin,
  spawnFlorin,
  startFlorin,
} from './actors/florin.ts'
import type { FlorinHandle } from './actors/florin.ts'
import { systemNode } from './actors/system-node.ts'

const HAS_CURL = spawnSync('curl', ['--version']).status === 0
const LAUNCHER_NODE = systemNode()
const RECOVERY_SECONDS = 30

const usdcOf = ({ info }: FlorinHandle, address: string) =>
  createPublicClient({ transport: http(info.networks.evm.rpcUrl) }).readContract({
    address: getAddress(info.networks.evm.usdc),
    abi: erc20Abi,
    functionName: 'balanceOf',
    args: [getAddress(address)],
  })

/** Pays 1 USDC between the seeded wallets, as often as it takes with one idempotency key; gives the payment's id. */
async function pay({ info }: FlorinHandle, key: string): Promise<string> {
  const client = openClient(info.baseUrl, info.apiKeys.enterprise)
  const [from, to] = info.wallets
  const order = { walletAddress: from?.address, recipientAddress: to?.address, amount: 1 }
  return await until(
    `payment ${key} is confirmed`,
    async () => {
      const reply = await client.post(
        '/payment/send',
        { ...order, asset: 'USDC' },
        { 'idempotency-key': key.replaceAll(' ', '-') },
      )
      if (reply.status === 503) return undefined
      expect(reply.body, JSON.stringify(reply.body)).toMatchObject({ success: true })
      return reply.body['status'] === 'pending' ? undefined : String(reply.body['paymentId'])
    },
    { seconds: RECOVERY_SECONDS },
  )
}

const pidWith = async (florin: FlorinHandle, part: string): Promise<number> => {
  const found = (await processesOf(florin.dataDirectory)).find(({ words }) =>
    words.some((word) => word.includes(part)),
  )
  if (found === undefined) throw new Error(`no process of ${part}`)
  return found.pid
}
const victims = {
  PostgreSQL: (florin: FlorinHandle) => pidWith(florin, 'bin/postgres'),
  'the sandbox': (florin: FlorinHandle) => pidWith(florin, 'sandbox/src/main.ts'),
  anvil: (florin: FlorinHandle) => pidWith(florin, 'bin/anvil'),
}

describe('florin up', () => {
  let florin: FlorinHandle
  const payments: string[] = []
  beforeAll(async () => {
    florin = await startFlorin()
  })
  afterAll(() => florin.discard())

  const expectNothingLost = async () => {
    const client = openClient(florin.baseUrl, florin.info.apiKeys.enterprise)
    for (const id of payments) {
      const { body } = await client.get(`/payment/status/${id}`)
      expect(body).toMatchObject({ paymentId: id, success: true })
      expect(['confirmed', 'settled']).toContain(body['status'])
    }
    const [, to] = florin.info.wallets
    expect(await usdcOf(florin, to?.address ?? '')).toBe(
      100_000_000_000n + BigInt(payments.length) * 1_000_000n,
    )
  }

  test('says in sandbox.json, closed to others, all that is needed, and in owner.json who runs', async () => {
    const { info, dataDirectory } = florin
    const key = (value: unknown) => expect(value).toMatch(/^florin_test_/)
    expect(Object.keys(info)).toEqual([
      'baseUrl',
      'dashboardUrl',
      'pid',
      'apiKeys',
      'networks',
      'wallets',
      'faucet',
    ])
    expect(info.baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(info.pid).toBe(florin.pid)
    const [page, link = ''] = info.dashboardUrl.split('#link=')
    expect(page).toBe(`${info.baseUrl}/signin`)
    const signedIn = await openClient(info.baseUrl, info.apiKeys.standard).post('/session', {
      link,
    })
    expect(signedIn.body).toMatchObject({
      operator: true,
      sandbox: true,
      selected: { name: 'Sandbox', role: 'owner', plan: 'enterprise' },
    })
    Object.values(info.apiKeys).forEach(key)
    const tokens = expect.arrayContaining([
      { mint: expect.any(String), symbol: expect.any(String), decimals: expect.any(Number) },
    ])
    expect(info.networks).toEqual({
      evm: {
        network: 'eip155:84532',
        rpcUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:/),
        usdc: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
        tokens,
      },
      solana: {
        network: 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1',
        rpcUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:/),
        wsUrl: expect.stringMatching(/^ws:\/\/127\.0\.0\.1:/),
        usdc: '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU',
        tokens,
      },
    })
    const { evm, solana } = info.networks
    expect(info.wallets.map(({ family, network }) => [family, network])).toEqual([
      ['evm', evm.network],
      ['evm', evm.network],
      ['solana', solana.network],
      ['solana', solana.network],
    ])
    const client = openClient(info.baseUrl, info.apiKeys.enterprise)
    for (const { address } of info.wallets) {
      const { balances } = (await client.get(`/wallets/${address}`)).body
      expect(balances).toMatchObject([{ amount: 1_000 }, { symbol: 'USDC', amount: 100_000 }])
    }
    const paths = dataPaths(dataDirectory)
    for (const path of [paths.sandboxFile, paths.owner, paths.database]) {
      expect((await stat(path)).mode & 0o777).toBe(0o600)
    }
  })

  test.skipIf(!HAS_CURL)("the banner's one line makes a payment when pasted", async () => {
    const line =
      florin
        .stdout()
        .split('\n')
        .find((text) => text.startsWith('curl ')) ?? ''
    const { stdout } = await promisify(execFile)('sh', ['-c', line])
    expect(JSON.parse(stdout)).toMatchObject({ success: true, status: 'confirmed', amount: 1 })
    payments.push(String(JSON.parse(stdout).paymentId))
    await expectNothingLost()
  })

  test('a second one on the same data directory refuses and names the first', async () => {
    const second = await runFlorin(['up'], florin.dataDirectory)
    expect(second.code).toBe(1)
    expect(second.stderr).toContain(florin.baseUrl)
    expect(second.stdout).toBe('')
    payments.push(await pay(florin, 'after the second one'))
  })

  test('a payment between the Solana wallets is confirmed', async () => {
    const { info } = florin
    const client = openClient(info.baseUrl, info.apiKeys.enterprise)
    const [, , from, to] = info.wallets
    const order = { walletAddress: from?.address, recipientAddress: to?.address, amount: 1 }
    for (const asset of ['native', 'USDC']) {
      const { body } = await client.post('/payment/send', { ...order, asset })
      expect(body).toMatchObject({ success: true, network: info.networks.solana.network })
      expect(['confirmed', 'settled']).toContain(body['status'])
    }
  })

  test('florin env gives a shell everything', async () => {
    const script = `eval "$('${process.execPath}' '${FLORIN}' env)"; env`
    const { stdout } = await promisify(execFile)('sh', ['-c', script], {
      env: bareEnvironment(florin.dataDirectory),
    })
    const { info } = florin
    const lines = stdout.split('\n')
    expect(lines).toEqual(
      expect.arrayContaining([
        `FLORIN_BASE_URL=${info.baseUrl}`,
        `FLORIN_API_KEY=${info.apiKeys.standard}`,
        `FLORIN_API_KEY_PREMIUM=${info.apiKeys.premium}`,
        `FLORIN_API_KEY_ENTERPRISE=${info.apiKeys.enterprise}`,
        `FLORIN_EVM_RPC_URL=${info.networks.evm.rpcUrl}`,
        `FLORIN_EVM_USDC=${info.networks.evm.usdc}`,
        `FLORIN_WALLET_EVM_1=${info.wallets[0]?.address}`,
        `FLORIN_WALLET_EVM_2=${info.wallets[1]?.address}`,
        `FLORIN_SOLANA_NETWORK=${info.networks.solana.network}`,
        `FLORIN_SOLANA_RPC_URL=${info.networks.solana.rpcUrl}`,
        `FLORIN_SOLANA_WS_URL=${info.networks.solana.wsUrl}`,
        `FLORIN_SOLANA_USDC=${info.networks.solana.usdc}`,
        `FLORIN_WALLET_SOLANA_1=${info.wallets[2]?.address}`,
        `FLORIN_WALLET_SOLANA_2=${info.wallets[3]?.address}`,
        `FLORIN_FAUCET_URL=${info.faucet.url}`,
      ]),
    )
  })

  test('florin keys makes a key that works, lists it without its text, and deletes it', async () => {
    const { dataDirectory, baseUrl, info } = florin
    const order = [
      '--name',
      'ci "job"',
      '--scopes',
      'read',
      '--plan',
      'premium',
      '--expires',
      '30d',
    ]
    const made = await runFlorin(['keys', 'create', ...order, '--json'], dataDirectory)
    expect(made).toMatchObject({ code: 0, stderr: '' })
    const { key, id } = JSON.parse(made.stdout) as { key: string; id: string }
    const client = openClient(baseUrl, key)
    const status = `/payment/status/${payments[0]}`
    expect((await client.get(status)).status).toBe(200)
    expect((await client.post('/wallets', { family: 'evm' })).status).toBe(403)

    const list = await runFlorin(['keys', 'list', '--json'], dataDirectory)
    const { keys } = JSON.parse(list.stdout) as { keys: { id: string; scopes: string[] }[] }
    expect(keys).toHaveLength(4)
    expect(keys.find((entry) => entry.id === id)).toMatchObject({
      plan: 'premium',
      scopes: ['read'],
    })
    const readable = await runFlorin(['keys', 'list'], dataDirectory)
    expect(readable.stdout).toContain('ci "job"')
    for (const text of [key, ...Object.values(info.apiKeys)]) {
      expect(list.stdout + readable.stdout).not.toContain(text)
    }
    expect(await runFlorin(['keys', 'delete', id], dataDirectory)).toMatchObject({ code: 0 })
    await until(
      'the deleted key is refused',
      async () => (await client.get(status)).status === 401,
      {
        seconds: 30,
      },
    )
    expect(await runFlorin(['keys', 'delete', id], dataDirectory)).toMatchObject({ code: 1 })
  })

  test('florin pay finds the sandbox, its key and a wallet by itself', async () => {
    const { dataDirectory, info } = florin
    const recipient = info.wallets.find(({ family }) => family === 'solana')?.address ?? ''
    const order = ['pay', recipient, '0.5', '--asset', 'USDC', '--json']
    const { code, stdout, stderr } = await runFlorin(order, dataDirectory)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(JSON.parse(stdout)).toMatchObject({ recipient, amount: '0.5', sandbox: true })
    expect(Object.values(info.apiKeys).filter((key) => stdout.includes(key))).toEqual([])
  })

  test('florin doctor finds nothing broken', async () => {
    const diagnosis = await runFlorin(['doctor', '--json'], florin.dataDirectory)
    expect(JSON.parse(diagnosis.stdout)).toEqual({
      findings: [],
      unasked: [],
      notTaken: [],
      unsettled: [],
      clocks: [],
      lookAt: [],
    })
    expect(diagnosis.code).toBe(0)
  })

  test('SIGTERM ends it with 0 and leaves no process and no address behind', async () => {
    expect(await florin.stop()).toBe(0)
    expect(await processesOf(florin.dataDirectory)).toEqual([])
    const env = await runFlorin(['env'], florin.dataDirectory)
    expect(env).toMatchObject({ code: 1, stdout: '' })
    expect(env.stderr).toContain('nothing runs')
    const keys = await runFlorin(['keys', 'list'], florin.dataDirectory)
    expect(keys).toMatchObject({ code: 1, stdout: '' })
    expect(keys.stderr).toContain('npm start')
  })

  test('a start on a taken port says which, and leaves nothing behind', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const address = other.address()
    const port = String(typeof address === 'object' ? address?.port : 0)
    const refused = await runFlorin(['up'], florin.dataDirectory, { FLORIN_PORT: port })
    other.close()
    expect(refused).toMatchObject({ code: 1, stdout: '' })
    expect(refused.stderr).toContain(`port ${port}`)
    expect(await processesOf(florin.dataDirectory)).toEqual([])
  })

  test('SIGTERM in the middle of a start ends it with 0 and leaves nothing behind', async () => {
    const starting = spawnFlorin(['up'], florin.dataDirectory)
    await until(
      'its first child runs',
      async () => (await processesOf(florin.dataDirectory)).length > 0,
      { seconds: RECOVERY_SECONDS },
    )
    starting.child.kill('SIGTERM')
    expect(await starting.ended).toMatchObject({ code: 0, stdout: '' })
    expect(await processesOf(florin.dataDirectory)).toEqual([])
  })

  test('the next start has the same keys, wallets and payments', async () => {
    const { apiKeys, wallets } = florin.info
    florin = await florin.restart()
    expect(florin.info.apiKeys).toEqual(apiKeys)
    expect(florin.info.wallets).toEqual(wallets)
    await expectNothingLost()
  })

  for (const [name, find] of Object.entries(victims)) {
    test(`${name} killed: it is started again and payments go on`, async () => {
      await florin.kill('SIGKILL', await find(florin))
      payments.push(await pay(florin, `after the kill of ${name}`))
      await expectNothingLost()
    })
  }

  test('the service killed: the next start goes on by itself', async () => {
    await florin.kill('SIGKILL')
    florin = await florin.restart()
    payments.push(await pay(florin, 'after the kill of the service'))
    await expectNothingLost()
  })

  test('all killed at once: the next start goes on by itself', async () => {
    const all = [florin.pid, ...(await processesOf(florin.dataDirectory)).map(({ pid }) => pid)]
    await Promise.all(all.map((pid) => florin.kill('SIGKILL', pid)))
    florin = await florin.restart()
    payments.push(await pay(florin, 'after the kill of all'))
    await expectNothingLost()
  })

  test.skipIf(LAUNCHER_NODE === undefined)(
    'the launcher killed: the service ends by itself, and the next start waits for that',
    async () => {
      await florin.stop()
      florin = await florin.restart({ launcherNode: LAUNCHER_NODE ?? '' })
      expect(florin.pid).not.toBe(florin.info.pid)
      await florin.kill('SIGKILL')
      florin = await florin.restart()
      payments.push(await pay(florin, 'after the kill of the launcher'))
      await expectNothingLost()
    },
  )
})
