import type { Run } from './command.ts'
import { COMMANDS } from './commands.ts'

/** The whole help text. */
export function helpText(): string {
  const lines = COMMANDS.map(({ name, usage, summary }) => {
    const call = `florin ${name} ${usage}`.trimEnd()
    return `  ${call}\n      ${summary}`
  })
  return [
    'Florin: a payment service for x402.',
    '',
    ...lines,
    '',
    'wallets, pay, status, history and listen talk to FLORIN_BASE_URL with FLORIN_API_KEY, or to the sandbox that runs here.',
    'They end with 0 done, 1 refused, 2 a wrong command line, 3 under way or unknown, 4 failed or expired.',
    'Settings come from the environment or from a file .env here; .env.example explains each.',
    '',
  ].join('\n')
}

export const runHelp: Run = async ({ print }) => {
  print(helpText())
  return 0
}
