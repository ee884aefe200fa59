import type { FlorinError } from '@florin/sdk'
import { isSaid } from '@florin/wire/refusal-sentence.ts'
import type { CommandContext } from '../command.ts'
import { EXIT } from './exit-code.ts'
import type { ExitCode } from './exit-code.ts'
import { howToRepeat } from './how-to-repeat.ts'
import { nextStep } from './next-step.ts'
import { factLines, visible } from './visible.ts'

/**
 * A failed call for people, or as one JSON object; gives the exit code that says whether anything may have moved.
 * `paymentId`: the payment existed before that call, which only asked about it.
 * `chosenWallet`: what paid where the command line did not say.
 */
export function tellFailure(
  error: FlorinError,
  { print, note }: Pick<CommandContext, 'print' | 'note'>,
  {
    json,
    paymentId,
    chosenWallet,
  }: { json: boolean; paymentId?: string; chosenWallet?: string | undefined },
): ExitCode {
  const goesOn =
    paymentId === undefined || isEnd(error)
      ? undefined
      : `The payment goes on by itself. Look again: florin status ${paymentId} --watch`
  const exitCode = goesOn === undefined ? exitCodeOf(error) : EXIT.open
  const next =
    goesOn ?? repeatAdvice(error, chosenWallet) ?? ceilingAdvice(error) ?? nextStep(error.code)
  if (json) {
    print(`${JSON.stringify({ success: false, error: { ...error.toJSON(), next } })}\n`)
    return exitCode
  }
  const details = Object.entries(error.details ?? {})
    .map(([name, value]) => [name, shown(value)] as const)
    .filter(([name, value]) => !isSaid(error.message, name, value))
  const facts = factLines([
    ...details,
    ['next', next],
    ['docs', error.docs],
    ['request', error.requestId],
  ])
  note(`florin: ${error.code}: ${visible(error.message)}\n${facts}`)
  return exitCode
}

function isEnd({ code }: FlorinError): boolean {
  return code === 'TRANSACTION_FAILED' || code === 'PAYMENT_ENDED'
}

function exitCodeOf(error: FlorinError): ExitCode {
  if (isEnd(error)) return EXIT.ended
  return error.outcomeUnknown ? EXIT.open : EXIT.refused
}

function repeatAdvice(
  { outcomeUnknown, idempotencyKey }: FlorinError,
  chosenWallet: string | undefined,
): string | undefined {
  return outcomeUnknown && idempotencyKey !== undefined
    ? `It may have been paid. ${howToRepeat(idempotencyKey, chosenWallet)}`
    : undefined
}

/** The rule is a word of the interface; whoever types a command knows it by its flag. */
function ceilingAdvice({ code, details }: FlorinError): string | undefined {
  return code === 'POLICY_REFUSED' && details?.['rule'] === 'maxAmount'
    ? 'Name what you would pay at most: --max AMOUNT'
    : undefined
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
