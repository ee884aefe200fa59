import { parseArgs } from 'node:util'
import { Complaint } from './host/complaint.ts'

const PORT_MAX = 65_535

export interface Arguments {
  readonly directory: string
  /** 0: the port of the last run, or any free one. */
  readonly evmPort: number
  /** The same for Solana; the port after it is taken, too. */
  readonly solanaPort: number
  readonly faults: boolean
  /** Whether somebody trades all the time. */
  readonly market: boolean
  /** Whether USDC is the EVM chain's own currency under another name, as on Arc; for tests. */
  readonly currencyToken: boolean
  readonly parentPipe: boolean
}

const USAGE =
  '--directory DIR [--evm-port N] [--solana-port N] [--faults] [--market] [--currency-token] [--parent-pipe]'

/** Reads the command line. @throws {Complaint} */
export function readArguments(words: readonly string[]): Arguments {
  try {
    const { values } = parseArgs({
      args: [...words],
      options: {
        directory: { type: 'string' },
        'evm-port': { type: 'string', default: '0' },
        'solana-port': { type: 'string', default: '0' },
        faults: { type: 'boolean', default: false },
        market: { type: 'boolean', default: false },
        'currency-token': { type: 'boolean', default: false },
        'parent-pipe': { type: 'boolean', default: false },
      },
    })
    const evmPort = portOf('evm-port', values['evm-port'], PORT_MAX)
    const solanaPort = portOf('solana-port', values['solana-port'], PORT_MAX - 1)
    if (values.directory === undefined || values.directory === '') {
      throw new Error('--directory is missing')
    }
    const { directory, faults, market } = values
    const [currencyToken, parentPipe] = [values['currency-token'], values['parent-pipe']]
    return { directory, evmPort, solanaPort, faults, market, currencyToken, parentPipe }
  } catch (error) {
    throw new Complaint(
      `${error instanceof Error ? error.message : String(error)}. Usage: ${USAGE}`,
    )
  }
}

function portOf(flag: string, text: string, max: number): number {
  const port = Number(text)
  if (!/^\d+$/.test(text) || port > max) throw new Error(`--${flag} is a number from 0 to ${max}`)
  return port
}
