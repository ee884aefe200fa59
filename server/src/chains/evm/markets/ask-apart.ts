import { NodeFailure } from '../../chain.ts'
import type { Transport } from '../../json-rpc/transport.ts'
import { estimateProblemOf } from '../failures.ts'
import { blockNumberView, readEach } from '../multicall.ts'
import type { Asked } from '../multicall.ts'
import { uintOf, wordsOf } from './words.ts'

type Answers = readonly (Uint8Array | undefined)[]

/**
 * Asks contracts of strangers several things each, in few calls that many of them share. Whatever one of them does there, such as to burn all
 * the gas, is done to the others: so those without a proper answer are asked again, each in a call of its own, in one more round
 * trip. Answers in the order of the subjects.
 */
export async function askApart(
  transport: Transport,
  subjects: readonly (readonly Asked[])[],
  {
    perCallMax,
    isProper,
    againAt = () => 'latest',
  }: {
    readonly perCallMax: number
    isProper(answers: Answers): boolean
    /** The block at which to ask again, from what the first round trip gave; `latest` when left out. */
    againAt?(first: readonly Answers[]): string
  },
): Promise<readonly Answers[]> {
  const together = async (
    some: readonly (readonly Asked[])[],
    block: string,
  ): Promise<readonly Answers[]> => {
    const read = readEach(some.flat(), block)
    const all = await transport.read<Answers>({
      ...read,
      // The whole call failed: nobody has answered.
      meaning: (error) => (estimateProblemOf(error) === undefined ? undefined : []),
    })
    let from = 0
    return some.map((asked) => {
      const answers = asked.map((_, index) => all[from + index])
      from += asked.length
      return answers
    })
  }
  const groups = Array.from({ length: Math.ceil(subjects.length / perCallMax) }, (_, index) =>
    subjects.slice(index * perCallMax, (index + 1) * perCallMax),
  )
  const found = await Promise.all(groups.map((group) => together(group, 'latest')))
  const first = found.flat()
  const block = againAt(first)
  return await Promise.all(
    first.map(async (answers, index) => {
      const subject = subjects[index]
      if (subject === undefined || subjects.length === 1 || isProper(answers)) return answers
      const [alone = []] = await together([subject], block)
      return alone
    }),
  )
}

/** What one of the subjects answered, and the height of whoever answered; undefined where the subject spoils the call that says it. */
export interface AnswersAt {
  readonly height: bigint | undefined
  readonly answers: Answers
}

/** The same, with the height of the block that each was answered at. */
export async function askApartAt(
  transport: Transport,
  subjects: readonly (readonly Asked[])[],
  options: { readonly perCallMax: number; isProper(answers: Answers): boolean },
): Promise<readonly AnswersAt[]> {
  const found = await askApart(
    transport,
    subjects.map((asked) => [blockNumberView, ...asked]),
    { ...options, isProper: ([, ...answers]) => options.isProper(answers) },
  )
  return found.map(([number, ...answers]) => {
    const words = wordsOf(number, 1)
    return { height: words && uintOf(words[0]), answers }
  })
}

/**
 * That nothing is there is believed of a machine only from the block on that shows something there: behind one address another one may stand still
 * before it. Throws NodeFailure. What spoils the very call that says the height is there, and is nothing that anybody looks for.
 */
export function demandReached(height: bigint | undefined, since: bigint): void {
  if (height !== undefined && height < since) {
    throw new NodeFailure(`the node is at block ${height}, before ${since}`)
  }
}
