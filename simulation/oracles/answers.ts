import { Broken, demand } from '../finding.ts'
import type { Intent } from '../payers.ts'
import type { SentRecord } from './records.ts'
import type { StatusOracle } from './statuses.ts'

/** What payers were told against what is stored, when nothing is under way any more. */
export function judgeAnswers(
  intents: readonly Intent[],
  sent: readonly SentRecord[],
  statuses: StatusOracle,
): void {
  for (const { number, key, tries } of intents) {
    const subject = `intent ${number}`
    const amounts = Map.groupBy(tries, ({ amount }) => amount)
    const mine = sent.filter(({ amount }) => amounts.has(amount))
    demand(key === undefined || mine.length <= 1, 'a key makes one payment', subject)
    for (const [amount, asked] of amounts) {
      const made = mine.filter((record) => record.amount === amount)
      const mayExist = asked.filter(({ answer }) => answer?.kind !== 'refused').length
      demand(made.length <= mayExist, 'what was refused was not stored', subject)
      for (const { answer } of asked) {
        if (answer?.kind === 'unforeseen') {
          const { error } = answer
          throw new Broken('nothing unforeseen', error instanceof Error ? `${error.stack}` : '')
        }
        if (answer?.kind !== 'paid') continue
        const { paymentId, status } = answer
        const isMade = made.some(({ id }) => id === paymentId)
        demand(isMade, 'an answer names the payment that was asked for', subject)
        const isTrue = status === 'pending' || statuses.hasHad(paymentId, status)
        demand(isTrue, 'an answer tells a status that was reached', `${paymentId} ${status}`)
      }
    }
  }
}
