import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import type { Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Complaint } from './complaint.ts'

const PROBE_MILLISECONDS = 1_000

/**
 * Makes this process the only sandbox on a directory (created when missing, mode 0700); throws a Complaint when
 * another one lives. The lock is a listening socket, so the kernel gives it back however this process ends; on
 * Linux its name is in the abstract namespace and leaves no file.
 */
export async function lockDirectory(directory: string): Promise<string> {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const path = realpathSync(directory)
  const name = `florin-sandbox-${createHash('sha256').update(path).digest('hex').slice(0, 32)}`
  const address = process.platform === 'linux' ? `\0${name}` : join(tmpdir(), `${name}.sock`)
  const held = (await listens(address)) || (await takesOver(address))
  if (!held) {
    throw new Complaint(`a sandbox${ownerOf(path)} already runs on ${path}; stop that one first.`)
  }
  writeFileSync(join(path, 'sandbox.pid'), `${process.pid}\n`, { mode: 0o600 })
  return path
}

function ownerOf(path: string): string {
  try {
    return ` (pid ${readFileSync(join(path, 'sandbox.pid'), 'utf8').trim()})`
  } catch {
    return ''
  }
}

async function listens(address: string): Promise<boolean> {
  const server: Server = createServer((socket) => socket.destroy())
  return await new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(false)
      else reject(error)
    })
    server.listen(address, () => {
      server.unref()
      resolve(true)
    })
  })
}

/** A socket file may outlive its process (not on Linux): nobody answers on it, so it is free. */
async function takesOver(address: string): Promise<boolean> {
  if (address.startsWith('\0') || (await answers(address))) return false
  rmSync(address, { force: true })
  return await listens(address)
}

async function answers(address: string): Promise<boolean> {
  return await new Promise((resolve) => {
    const socket = connect(address)
    socket.setTimeout(PROBE_MILLISECONDS)
    const end = (answer: boolean): void => {
      socket.destroy()
      resolve(answer)
    }
    socket.once('connect', () => end(true))
    socket.once('error', () => end(false))
    socket.once('timeout', () => end(true))
  })
}
