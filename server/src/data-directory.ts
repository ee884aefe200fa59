import { resolve } from 'node:path'

export type Environment = Readonly<Record<string, string | undefined>>

/** The absolute path of the directory that holds what `florin up` keeps: FLORIN_DATA_DIR, else `.florin`. */
export function dataDirectoryFrom(environment: Environment, directory: string): string {
  return resolve(directory, environment['FLORIN_DATA_DIR']?.trim() || '.florin')
}
