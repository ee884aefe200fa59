import { expect, test } from 'vitest'
import { limits } from '../../../kernel/limits.ts'
import type { LogFacts } from '../../../kernel/log-fields.ts'
import { testNetwork } from '../../../payments/test-lane.ts'
import { NodeFailure } from '../../chain.ts'
import type { Read } from '../../json-rpc/transport.ts'
import { openEscrowCode } from './escrow-code.ts'
import { ERC3009_COLLECTOR, ESCROW, PERMIT2_COLLECTOR } from './escrow.ts'

const ALL = [100, 100, 100]
const sizes = (of: readonly number[]) =>
  `0x${of.map((size) => size.toString(16).padStart(64, '0')).join('')}`

/** A node that shows code of these sizes: the escrow's, and of what brings it deposits by EIP-3009 and by Permit2. */
function scene(given: readonly number[] | Error) {
  const node = { shows: given, asked: 0, answers: async () => await Promise.resolve() }
  const said: string[] = []
  let now = 1_000_000
  const say = ({ reason }: LogFacts, message: string) =>
    void said.push(typeof reason === 'string' ? `${message}: ${reason}` : message)
  const contracts = openEscrowCode({
    transport: {
      read: async <Value>({ parse }: Read<Value>) => {
        node.asked += 1
        await node.answers()
        if (node.shows instanceof Error) throw node.shows
        return parse(sizes(node.shows))
      },
    },
    config: testNetwork(84_532),
    clock: { nowMilliseconds: () => now },
    log: { info: say, warn: say, error: say },
  })
  const pass = (seconds: number) => {
    now += seconds * 1000
  }
  return { contracts, node, said, pass }
}

test('an escrow is believed in once a node has shown it, which whoever comes first waits for', async () => {
  const { contracts, node, said } = scene(ALL)
  expect(contracts.isTaken()).toBe(false)
  await Promise.all([contracts.look(), contracts.look()])
  expect(contracts.isTaken()).toBe(true)
  expect(await contracts.whatIsMissing()).toBeUndefined()
  expect(await contracts.lackOf(ESCROW)).toBeUndefined()
  expect(node.asked).toBe(1)
  expect(said).toEqual(['batch-settlement is settled'])
})

test.each([
  ['no escrow', [0, 100, 100], ESCROW],
  ['no collector', [100, 0, 0], PERMIT2_COLLECTOR],
  ['nothing', [0, 0, 0], ERC3009_COLLECTOR],
])(
  'where there is %s the scheme is not taken, and the operator is told once what to do',
  async (_, shows, named) => {
    const { contracts, node, said, pass } = scene(shows)
    await contracts.look()
    expect(contracts.isTaken()).toBe(false)
    expect(await contracts.whatIsMissing()).toContain(named)
    expect(await contracts.lackOf(named)).toContain('This network has no ')
    expect(node.asked).toBe(1)
    pass(limits.escrowLookSeconds)
    await contracts.whatIsMissing()
    expect(node.asked).toBe(2)
    expect(said).toEqual([
      expect.stringMatching(
        /not in \/x402\/supported: .*take batchSettlement out of the networks file/,
      ),
    ])
  },
)

test('where one collector is there the scheme is taken, and what lacks the other is told', async () => {
  const { contracts, said } = scene([100, 100, 0])
  await contracts.look()
  expect(contracts.isTaken()).toBe(true)
  expect(await contracts.whatIsMissing()).toContain(PERMIT2_COLLECTOR)
  expect(await contracts.lackOf(ERC3009_COLLECTOR)).toBeUndefined()
  expect(await contracts.lackOf(PERMIT2_COLLECTOR)).toBe(
    'This network has no collector of deposits by Permit2.',
  )
  expect(said).toEqual([expect.stringContaining('such deposits are refused')])
})

test('while no node answers it is as it was known last; never known is not there', async () => {
  const { contracts, node, said, pass } = scene(new NodeFailure('nobody is there'))
  await contracts.look()
  expect(contracts.isTaken()).toBe(false)
  expect(await contracts.whatIsMissing()).toBe('nobody is there')
  await expect(contracts.lackOf(ESCROW)).rejects.toThrow(NodeFailure)
  expect(node.asked).toBe(1)
  node.shows = ALL
  pass(limits.escrowLookSeconds)
  await contracts.look()
  expect(contracts.isTaken()).toBe(true)
  node.shows = new NodeFailure('nobody is there')
  pass(limits.escrowSeenSeconds)
  expect(await contracts.whatIsMissing()).toBeUndefined()
  expect(contracts.isTaken()).toBe(true)
  node.shows = [0, 0, 0]
  pass(limits.escrowLookSeconds)
  await contracts.whatIsMissing()
  expect(contracts.isTaken()).toBe(false)
  expect(node.asked).toBe(4)
  expect(said).toHaveLength(3)
})

test('what was seen is asked for seldom, and nobody waits for that', async () => {
  const { contracts, node, pass } = scene(ALL)
  await contracts.look()
  pass(limits.escrowSeenSeconds - 1)
  await contracts.look()
  expect(node.asked).toBe(1)
  node.answers = () => new Promise(() => undefined)
  pass(1)
  await contracts.look()
  expect(node.asked).toBe(2)
  expect(contracts.isTaken()).toBe(true)
})

test('a bug is nobody’s answer, and stops nobody who looks beside', async () => {
  const { contracts, said } = scene(new TypeError('a bug'))
  await contracts.look()
  expect(said).toEqual(['whether there is an escrow was not found out'])
  expect(contracts.isTaken()).toBe(false)
})
