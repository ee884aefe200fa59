import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeSecretFile } from './durable-file.ts'
import { isJsonObject, parseJson } from './json.ts'

const PORT_MAX = 65_535

export interface Ports {
  readonly evm?: number
  readonly control?: number
  readonly solana?: number
}

/** The ports of the last run on this directory, so that a restart is found where the first one was. */
export function readPorts(directory: string): Ports {
  let text: string
  try {
    text = readFileSync(join(directory, 'ports.json'), 'utf8')
  } catch {
    return {}
  }
  const value = parseJson(text)
  if (!isJsonObject(value)) return {}
  const { evm, control, solana } = value
  return {
    ...(isPort(evm) ? { evm } : {}),
    ...(isPort(control) ? { control } : {}),
    ...(isPort(solana) ? { solana } : {}),
  }
}

export function rememberPorts(directory: string, ports: Required<Ports>): void {
  writeSecretFile(join(directory, 'ports.json'), `${JSON.stringify(ports)}\n`)
}

function isPort(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 && value <= PORT_MAX
}
