import { expect, test } from 'vitest'
import type { Clock } from '../../kernel/clock.ts'
import { limits } from '../../kernel/limits.ts'
import { quantityFrom } from '../evm/answer.ts'
import type { Endpoint } from './endpoint.ts'
import { openNodeHealth } from './node-health.ts'
import { openTransport } from './transport.ts'
import type { Read } from './transport.ts'

/** A turn of the loop, in which whatever is to be sent at its end is sent. */
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** A node that answers when it is told to, and a clock that stands still until it is moved. */
function scene(nodeReadsMax: number = limits.nodeReadsMax) {
  const sent: { readonly methods: readonly string[]; answer(): void }[] = []
  const sleepers: { readonly milliseconds: number; wake(): void }[] = []
  const clock: Clock = {
    nowMilliseconds: () => 0,
    sleep: (milliseconds, signal) =>
      new Promise((resolve) => {
        sleepers.push({ milliseconds, wake: resolve })
        signal?.addEventListener('abort', () => resolve())
      }),
  }
  const endpoint: Endpoint = {
    post: (calls) =>
      new Promise((resolve) => {
        const answer = () => resolve(calls.map(() => ({ ok: true, result: '0x1' })))
        sent.push({ methods: calls.map(({ method }) => method), answer })
      }),
  }
  const hosts = ['node']
  const health = openNodeHealth({
    ...{ hosts, clock, limits, behindBlocksMax: 5n },
    onChange: () => undefined,
  })
  const onCall = () => undefined
  const bounds = { ...limits, nodeReadsMax }
  const options = { endpoints: [endpoint], onCall, clock, health, limits: bounds }
  const transport = openTransport(options)
  return { sent, sleepers, transport }
}

const asking = (method: string): Read<bigint> => ({
  ...{ method, params: [] },
  parse: (value) => quantityFrom(value, method),
})

/** Two requests under way, so that what is asked next gathers. */
async function busy(nodeReadsMax?: number) {
  const { transport, ...rest } = scene(nodeReadsMax)
  const { sent } = rest
  const read = (method: string) => transport.read(asking(method))
  const all = [read('a')]
  await turn()
  all.push(read('b'))
  await turn()
  const methods = () => sent.slice(2).map((each) => each.methods)
  const end = async () => {
    for (const { answer } of sent) answer()
    expect(new Set(await Promise.all(all))).toEqual(new Set([1n]))
  }
  expect(sent.map((each) => each.methods)).toEqual([['a'], ['b']])
  return { ...rest, transport, read, all, methods, end }
}

test('reads that come while two requests are under way share one, sent after a moment', async () => {
  const { sleepers, read, all, methods, end } = await busy()
  for (const method of ['c', 'd', 'e']) {
    all.push(read(method))
    await turn()
  }
  expect(methods()).toEqual([])
  expect(sleepers.map(({ milliseconds }) => milliseconds)).toEqual([5])
  sleepers[0]?.wake()
  await turn()
  await turn()
  expect(methods()).toEqual([['c', 'd', 'e']])
  // They gather again, and for as long again.
  all.push(read('f'))
  await turn()
  expect(sleepers.map(({ milliseconds }) => milliseconds)).toEqual([5, 5])
  sleepers[1]?.wake()
  await turn()
  await turn()
  expect(methods()).toEqual([['c', 'd', 'e'], ['f']])
  await end()
})

test('whoever waits for others goes with the end of a request, and with those whom its answer has ask on', async () => {
  const { sent, read, all, methods, end } = await busy()
  all.push(read('c'))
  const next = all[1]?.then(() => read('d'))
  sent[1]?.answer()
  await turn()
  await turn()
  expect(methods()).toEqual([['c', 'd']])
  await end()
  await next
  // Nothing is under way any more: who comes now waits for nobody.
  const last = read('e')
  await turn()
  expect(methods().at(-1)).toEqual(['e'])
  sent.at(-1)?.answer()
  expect(await last).toBe(1n)
})

test('as many as a batch holds wait for nobody', async () => {
  const { read, all, methods, end } = await busy()
  const names = Array.from({ length: limits.nodeBatchCallsMax }, (_, index) => `m${index}`)
  all.push(...names.map(read))
  await turn()
  expect(methods()).toEqual([names])
  await end()
})

test('a read that was put off is in one batch with what is asked beside it, whatever has that sent', async () => {
  const { sent, transport, read, all, methods, end } = await busy()
  let made = 'too early'
  // Something gathers, and the end of a request has it sent before those that are asked in the same turn are all there.
  all.push(read('c'))
  sent[0]?.answer()
  for (let task = 0; task < 50; task += 1) await Promise.resolve()
  all.push(
    transport.readLast(() => asking(made)),
    read('run'),
  )
  made = 'codes'
  await turn()
  await turn()
  expect(methods()).toEqual([['c', 'run', 'codes']])
  // Alone it goes as soon as any other read would.
  all.push(transport.readLast(() => asking('codes')))
  sent[1]?.answer()
  await turn()
  await turn()
  expect(methods().at(-1)).toEqual(['codes'])
  await end()
})

test('one that cannot be made fails for whoever asked for it, and holds nobody up', async () => {
  const { sent, transport } = scene()
  const failing = transport.readLast(() => {
    throw new Error('it cannot be made')
  })
  const other = transport.read(asking('a'))
  await expect(failing).rejects.toThrow('it cannot be made')
  sent[0]?.answer()
  expect(await other).toBe(1n)
  const next = transport.read(asking('b'))
  await turn()
  sent[1]?.answer()
  expect(await next).toBe(1n)
})

test('what has gathered before waits for nobody, and takes along who does', async () => {
  const { transport, read, all, methods, end } = await busy()
  all.push(read('c'))
  await turn()
  expect(methods()).toEqual([])
  all.push(transport.read({ ...asking('views'), hasGathered: true }))
  await turn()
  expect(methods()).toEqual([['c', 'views']])
  await end()
})

test('what is made last has its place from when it is asked for, and beyond the places everybody is refused at once', async () => {
  const { transport, sleepers, read, all, methods, end } = await busy(3)
  const last = (method: string) => transport.readLast(() => asking(method))
  all.push(last('made last'), read('c'), last('made after it'))
  await expect(last('too many')).rejects.toThrow('too many reads wait')
  await expect(read('too many')).rejects.toThrow('too many reads wait')
  // The same question takes no place of its own.
  all.push(read('c'))
  sleepers[0]?.wake()
  await turn()
  await turn()
  expect(methods()).toEqual([['c', 'made last', 'made after it']])
  await end()
})
