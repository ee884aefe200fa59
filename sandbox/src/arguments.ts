import { parseArgs } from 'node:util'
import { Complaint } from './host/complaint.ts'

const PORT_MAX = 65_535

export interface Arguments {
  readonly directory: string
  /** 0: the port of the last run, or any free one. */
  readonly evmPort: number
  readonly faults: boolean
  readonly parentPipe: boolean
}

export const USAGE = '--directory DIR [--evm-port N] [--faults] [--parent-pipe]'

/** Reads the command line. @throws {Complaint} */
export function readArguments(words: readonly string[]): Arguments {
  try {
    const { values } = parseArgs({
      args: [...words],
      options: {
        directory: { type: 'string' },
        'evm-port': { type: 'string', default: '0' },
        faults: { type: 'boolean', default: false },
        'parent-pipe': { type: 'boolean', default: false },
      },
    })
    const evmPort = Number(values['evm-port'])
    if (values.directory === undefined || values.directory === '') {
      throw new Error('--directory is missing')
    }
    if (!/^\d+$/.test(values['evm-port']) || evmPort > PORT_MAX) {
      throw new Error(`--evm-port is a number from 0 to ${PORT_MAX}`)
    }
    const { directory, faults, 'parent-pipe': parentPipe } = values
    return { directory, evmPort, faults, parentPipe }
  } catch (error) {
    throw new Complaint(
      `${error instanceof Error ? error.message : String(error)}. Usage: ${USAGE}`,
    )
  }
}
