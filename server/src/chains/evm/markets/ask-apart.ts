import type { Transport } from '../../json-rpc/transport.ts'
import { estimateProblemOf } from '../failures.ts'
import { readEach } from '../multicall.ts'
import type { Asked } from '../multicall.ts'

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
