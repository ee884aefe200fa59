import type { Command, Run } from './command.ts'
import { COMMANDS } from './commands.ts'
import { UsageError } from './usage-error.ts'

/** The whole help text. */
function helpText(): string {
  return [
    'Florin: a payment service for x402.',
    '',
    ...linesOf(COMMANDS),
    '',
    'wallets, pay, status, history and listen talk to FLORIN_BASE_URL with FLORIN_API_KEY, or to the sandbox that runs here.',
    'They end with 0 done, 1 refused, 2 a wrong command line, 3 under way or unknown, 4 failed or expired.',
    'Settings come from the environment or from a file .env here; .env.example explains each.',
    '',
  ].join('\n')
}

/** `florin help`: everything, or what is about one command or one family of them, such as `keys`. */
export const runHelp: Run = async ({ args, print }) => {
  const topic = args.join(' ')
  if (topic === '') {
    print(helpText())
    return 0
  }
  const about = COMMANDS.filter(({ name }) => name === topic || name.startsWith(`${topic} `))
  if (about.length === 0) throw new UsageError(`there is no command "${topic}"`)
  print([...linesOf(about), ''].join('\n'))
  return 0
}

function linesOf(commands: readonly Command[]): readonly string[] {
  return commands.map(({ name, usage, summary }) => {
    const call = `florin ${name} ${usage}`.trimEnd()
    return `  ${call}\n      ${summary}`
  })
}
