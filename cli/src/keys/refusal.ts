import { Refusal } from '@florin/wire/errors.ts'
import { isSaid } from '@florin/wire/refusal-sentence.ts'
import { CommandFailed } from '../usage-error.ts'

/** An expected "no" of the service as a sentence with its details. Anything else goes on as it is. */
export async function inWords<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const details = Object.entries(error.details ?? {})
      .filter(([name, rule]) => !isSaid(error.message, name, String(rule)))
      .map(([name, rule]) => `${name} ${String(rule)}`)
    throw new CommandFailed([error.message, ...details].join('\n  '), { cause: error })
  }
}
