import { importsOf } from './imports.ts'
import type { Import } from './imports.ts'
import { FENCED, PARTS, roomOf } from './rooms.ts'
import { isCode, isTest } from './source.ts'
import type { SourceFile } from './source.ts'

const partOf = (path: string) => path.slice(0, path.indexOf('/'))

function packageOf(specifier: string): string {
  const [scope = '', name = ''] = specifier.split('/')
  return scope.startsWith('@') ? `${scope}/${name}` : scope
}

function strayPart(path: string, target: string): string | undefined {
  const [own, other] = [partOf(path), partOf(target)]
  const allowed = PARTS[own]
  return allowed === undefined || own === other || allowed.includes(other)
    ? undefined
    : `${own} may not import ${other === '' ? target : other}`
}

function strayRoom(path: string, target: string): string | undefined {
  const [own, other] = [roomOf(path), roomOf(target)]
  if (own === undefined) return undefined
  if (own.rank === undefined) return `the room ${own.room} has no rank in checks/rooms.ts`
  if (other === undefined || other.room === own.room) return undefined
  if (other.rank === undefined) return `the room ${other.room} has no rank in checks/rooms.ts`
  return other.rank < own.rank ? undefined : `${own.room} may not import ${other.room}`
}

function stray(path: string, { specifier, path: target }: Import): string | undefined {
  if (target !== undefined) return strayPart(path, target) ?? strayRoom(path, target)
  const name = packageOf(specifier)
  if (name.startsWith('@florin/')) return `"${specifier}" is not a file of a workspace`
  const places = FENCED[name]
  return places === undefined || places.some((place) => path.startsWith(place))
    ? undefined
    : `only ${places.join(' and ')} may import ${name}`
}

/** Imports that break the table of rooms, the walls between workspaces, or a fence around a package. Tests are free. */
export function strayImports(files: readonly SourceFile[]): readonly string[] {
  return files
    .filter((file) => isCode(file) && !isTest(file))
    .flatMap((file) =>
      importsOf(file).flatMap((found) => {
        const problem = stray(file.path, found)
        return problem === undefined ? [] : [`${file.path}:${found.line}: ${problem}`]
      }),
    )
}
