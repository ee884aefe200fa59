import type { Command } from './command.ts'
import { COMMANDS } from './commands.ts'
import { readEnvironment } from './read-environment.ts'
import { unknownSettings } from './unknown-settings.ts'
import { CommandFailed, UsageError } from './usage-error.ts'

const USAGE_EXIT_CODE = 2

/** The command that the arguments begin with, and the arguments after its name. */
function findCommand(args: readonly string[]): { command: Command; rest: readonly string[] } {
  const [first = 'help', second = ''] = args
  const aliases: Readonly<Record<string, string>> = {
    '--help': 'help',
    '-h': 'help',
    '--version': 'version',
  }
  const name = aliases[first] ?? first
  const command = COMMANDS.find((known) => [name, `${name} ${second}`].includes(known.name))
  const family = COMMANDS.filter((known) => known.name.startsWith(`${name} `))
  if (command === undefined && family.length === 0) {
    throw new UsageError(`there is no command "${first}"`)
  }
  const help = COMMANDS.find((known) => known.name === 'help')
  if (help !== undefined && (args.includes('--help') || args.includes('-h'))) {
    const topic = command?.name ?? name
    return { command: help, rest: topic === help.name ? [] : [topic] }
  }
  if (command !== undefined) {
    return { command, rest: args.slice(command.name.split(' ').length) }
  }
  throw new UsageError(`say which: ${family.map((known) => `florin ${known.name}`).join(', ')}`)
}

function interrupted(): AbortSignal {
  const controller = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => controller.abort())
  return controller.signal
}

async function main(args: readonly string[]): Promise<number> {
  try {
    const { command, rest } = findCommand(args)
    const run = await command.load()
    const { environment, remarks } = await readEnvironment(process.env, process.cwd())
    if (command.settings === undefined) {
      for (const told of [...remarks, ...unknownSettings(environment)]) {
        process.stderr.write(`florin: ${told}\n`)
      }
    }
    return await run({
      args: rest,
      environment,
      remarks,
      print: (text) => process.stdout.write(text),
      note: (text) => process.stderr.write(text),
      terminal: process.stderr.isTTY,
      interrupted,
    })
  } catch (error) {
    if (error instanceof UsageError) {
      process.stderr.write(`florin: ${error.message}. See "florin help".\n`)
      return USAGE_EXIT_CODE
    }
    if (error instanceof CommandFailed) {
      process.stderr.write(`florin: ${error.message}\n`)
      return 1
    }
    // Told and ended here: commands that stay listen for uncaught errors themselves, and one that came after they ended would keep them for ever.
    const told = error instanceof Error ? (error.stack ?? error.message) : String(error)
    process.stderr.write(`florin: a bug: ${told}\n`)
    return 1
  }
}

// At once: nothing that a command left open may keep it from ending. Writing to a pipe or a terminal is not deferred.
process.exit(await main(process.argv.slice(2)))
