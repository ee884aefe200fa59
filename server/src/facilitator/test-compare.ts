import fc from 'fast-check'
import { vi } from 'vitest'
import type { Family } from '@florin/wire/network.ts'
import { startTestChain as startEvm } from '../chains/evm/test-chain.ts'
import { startTestChain as startSolana } from '../chains/solana/test-chain.ts'
import { openTestDatabase } from '../store/test-database.ts'
import { evmCases, evmTwisted, openEvmScene } from './test-corpus-evm.ts'
import { openSolanaScene, solanaCases, solanaTwisted } from './test-corpus-solana.ts'
import { DIFFERENCES, explanationOf } from './test-differences.ts'
import type { Seen } from './test-differences.ts'
import { evmOracle, solanaOracle } from './test-oracle.ts'
import type { Oracle, Presentation } from './test-oracle.ts'

const AT_ONCE = 8

/** A family's chain with both judges over it, and everything that can be wrong with a payment. */
export interface Court {
  /** Each field wrong in each way, each twist alone. */
  singles(): Promise<Presentation[]>
  /** Several twists in one payment, so that the order in which they are found shows. */
  several(pick: Pick): Promise<Presentation[]>
  judge(cases: readonly Presentation[]): Promise<readonly Seen[]>
  stop(): Promise<void>
}

export interface Pick {
  readonly count: number
  readonly seed: number
  readonly twistsMax: number
}

/** Names of twists that must be found together for a rule to apply. */
const TOGETHER: Readonly<Record<Family, readonly (readonly [string, string])[]>> = {
  evm: [
    ['no domain', 'paid on another network'],
    ['a unit more', 'over'],
    ['a signature wrapped for an account to be made', 'a payer with code'],
    ['another recipient', 'a payer with code'],
  ],
  solana: [],
}

export async function openCourt(family: Family): Promise<Court> {
  // The reference writes what it cannot decode to standard error.
  const silence = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  const database = await openTestDatabase()
  const world = family === 'evm' ? await openEvm() : await openSolana()
  const oracle = await world.oracle(database.store)
  return {
    singles: world.singles,
    several: async ({ count, seed, twistsMax }) => {
      const index = fc.nat({ max: world.names.length - 1 })
      const some = fc.uniqueArray(index, { minLength: 2, maxLength: twistsMax })
      const picks = fc.sample(fc.tuple(some, fc.constantFrom(1 as const, 2 as const)), {
        seed,
        numRuns: count,
      })
      const fixed = TOGETHER[family].flatMap((names) =>
        ([1, 2] as const).map(
          (version) => [names.map((name) => world.names.indexOf(name)), version] as const,
        ),
      )
      const cases: Presentation[] = []
      for (const [indexes, version] of [...fixed, ...picks]) {
        cases.push(await world.twisted(version, indexes))
      }
      return cases
    },
    judge: (cases) => judgeAll(oracle, cases),
    stop: async () => {
      await world.stop()
      await database.close()
      silence.mockRestore()
    },
  }
}

async function openEvm() {
  const chain = await startEvm()
  const scene = await openEvmScene(chain)
  return {
    names: scene.twists.map(({ name }) => name),
    oracle: async (store: Parameters<typeof evmOracle>[1]) => evmOracle(chain, store),
    singles: () => evmCases(scene),
    twisted: (version: 1 | 2, indexes: readonly number[]) =>
      evmTwisted(scene, version, picked(scene.twists, indexes)),
    stop: () => chain.sandbox.stop(),
  }
}

async function openSolana() {
  const chain = await startSolana()
  const scene = await openSolanaScene(chain)
  return {
    names: scene.twists.map(({ name }) => name),
    oracle: (store: Parameters<typeof solanaOracle>[1]) => solanaOracle(chain, store),
    singles: () => solanaCases(scene),
    twisted: (version: 1 | 2, indexes: readonly number[]) =>
      solanaTwisted(scene, version, picked(scene.twists, indexes)),
    stop: () => chain.sandbox.stop(),
  }
}

function picked<Twist>(twists: readonly Twist[], indexes: readonly number[]): Twist[] {
  return indexes.map((index) => {
    const twist = twists[index]
    if (twist === undefined) throw new Error('there is no such twist')
    return twist
  })
}

async function judgeAll(oracle: Oracle, cases: readonly Presentation[]): Promise<readonly Seen[]> {
  const seen: Seen[] = []
  const waiting = cases.values()
  const work = async (): Promise<void> => {
    for (const one of waiting) seen.push(await oracle.judge(one))
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return seen
}

/** Fails on a difference that no rule explains, and on a rule of the family that explains nothing. */
export function expectExplained(family: Family, seen: readonly Seen[]): void {
  const differing = seen.filter(({ ours, theirs }) => ours !== theirs)
  const unexplained = differing.filter((one) => explanationOf(one) === undefined)
  const lines = unexplained.map(
    ({ name, ours, theirs }) => `${name}: we say ${ours}, they say ${theirs}`,
  )
  const applied = new Set(differing.map(explanationOf))
  const idle = DIFFERENCES.filter(
    (rule) => (rule.family ?? family) === family && !applied.has(rule.name),
  )
  lines.push(...idle.map(({ name }) => `a rule for nothing: ${name}`))
  if (lines.length > 0) throw new Error(lines.join('\n'))
}
