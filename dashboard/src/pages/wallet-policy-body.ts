import type { Input } from '../api/operation.ts'

type Body = NonNullable<Input<'PUT /wallets/{address}/policy'>['body']>

/** The limits of one asset as they were typed: decimal text, empty for none. */
export interface LimitText {
  readonly network: string
  readonly asset: string
  readonly perPayment: string
  readonly perHour: string
  readonly perDay: string
  readonly perMonth: string
}

/** What a form asks for. Amounts stay text, so that no digit is lost; what is empty is left out, and all of it empty removes the policy. */
export function policyBody({
  limits,
  recipients,
  resources,
}: {
  readonly limits: readonly LimitText[]
  /** One per line. */
  readonly recipients: string
  readonly resources: string
}): Body {
  const given = limits.flatMap(({ network, asset, perPayment, perHour, perDay, perMonth }) => {
    const amounts = {
      ...(perPayment === '' ? {} : { perPayment }),
      ...(perHour === '' ? {} : { perHour }),
      ...(perDay === '' ? {} : { perDay }),
      ...(perMonth === '' ? {} : { perMonth }),
    }
    return Object.keys(amounts).length === 0 ? [] : [{ network, asset, ...amounts }]
  })
  const [who, what] = [linesOf(recipients), linesOf(resources)]
  return {
    ...(given.length === 0 ? {} : { limits: given }),
    ...(who.length === 0 ? {} : { recipients: who }),
    ...(what.length === 0 ? {} : { resources: what }),
  }
}

const linesOf = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
