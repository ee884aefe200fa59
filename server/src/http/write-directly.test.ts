import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { TLSSocket } from 'node:tls'
import { expect, onTestFinished, test } from 'vitest'
import { until } from '../kernel/until.ts'
import { descriptorOf, writeDirectly } from './write-directly.ts'

const SOON = { seconds: 60 }

/** Both ends of one connection, and what the reading end has read. */
async function openPair() {
  const accepted = Promise.withResolvers<Socket>()
  const server = createServer(accepted.resolve)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const reader = connect(typeof address === 'object' ? (address?.port ?? 0) : 0, '127.0.0.1')
  const connected = new Promise<void>((resolve) => reader.once('connect', resolve))
  const [writer] = await Promise.all([accepted.promise, connected])
  for (const socket of [reader, writer]) socket.on('error', () => undefined)
  onTestFinished(() => {
    reader.destroy()
    writer.destroy()
    server.close()
  })
  const read: Buffer[] = []
  reader.on('data', (data: Buffer) => void read.push(data))
  return { reader, writer, textRead: () => Buffer.concat(read).toString() }
}

test('a socket with nothing before it is written to past its stream', async () => {
  const { writer, textRead } = await openPair()
  writeDirectly(writer, descriptorOf(writer), Buffer.from('at once'))
  expect(writer.bytesWritten).toBe(0)
  await until('it is read', () => textRead() === 'at once', SOON)
})

test('what a slow reader is sent comes whole and in order, with what the stream was told between', async () => {
  const { reader, writer, textRead } = await openPair()
  reader.pause()
  const descriptor = descriptorOf(writer)
  const said: string[] = []
  const say = (text: string, write: (bytes: Buffer) => void) => {
    said.push(text)
    write(Buffer.from(text))
  }
  const direct = (bytes: Buffer) => writeDirectly(writer, descriptor, bytes)
  for (let turn = 0; writer.writableLength < 1_000_000; turn += 1) {
    say(`${turn} direct ${'x'.repeat(40_000 + turn)};`, direct)
    if (turn % 3 === 0) say(`${turn} stream;`, (bytes) => void writer.write(bytes))
  }
  expect(writer.bytesWritten).toBeLessThan(said.join('').length)
  // What was read makes room in the kernel, while the stream still waits.
  reader.on('data', () => {
    if (writer.writableLength > 0) say('between;', direct)
  })
  reader.resume()
  await until('all is read', () => textRead().length >= said.join('').length, SOON)
  say('afterwards', direct)
  await until('the last is read', () => textRead().length >= said.join('').length, SOON)
  expect(textRead() === said.join('')).toBe(true)
})

test('what a socket gathers goes out behind what it gathered before', async () => {
  const { writer, textRead } = await openPair()
  const descriptor = descriptorOf(writer)
  writer.cork()
  writer.write('first ')
  writeDirectly(writer, descriptor, Buffer.from('second'))
  writer.uncork()
  await until('both are read', () => textRead() === 'first second', SOON)
  writer.cork()
  writeDirectly(writer, descriptor, Buffer.from(', third'))
  expect(writer.writableLength).toBe(', third'.length)
  writer.uncork()
  await until('it is read', () => textRead() === 'first second, third', SOON)
})

test('a descriptor that is somebody else’s after the socket was destroyed is not written to', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'florin-descriptor-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'other')
  // The kernel gives the lowest free number, so it is the socket's, unless another thread was quicker: then once more.
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const { writer } = await openPair()
    const descriptor = descriptorOf(writer)
    writer.destroy()
    const file = openSync(path, 'w')
    writeDirectly(writer, descriptor, Buffer.from('of a payment'))
    closeSync(file)
    expect(readFileSync(path, 'utf8')).toBe('')
    if (file === descriptor) return
  }
  expect.unreachable('no file was given the number of a socket')
})

test('a socket whose other side is gone ends as it would by its stream', async () => {
  const { reader, writer } = await openPair()
  const descriptor = descriptorOf(writer)
  reader.resetAndDestroy()
  writeDirectly(writer, descriptor, Buffer.from('to nobody'))
  await until('it has ended', () => writer.closed, SOON)
  expect(writer.errored).toMatchObject({ syscall: 'write' })
})

test('a socket that encrypts is never written to past its encryption', async () => {
  const { writer } = await openPair()
  const encrypted = new TLSSocket(writer, { isServer: true })
  onTestFinished(() => void encrypted.destroy())
  // Node shows one here, too.
  expect(descriptorOf(encrypted)).toBeUndefined()
})

test('what is no socket of the kernel has its stream alone', () => {
  const stream = new PassThrough()
  expect(descriptorOf(stream)).toBeUndefined()
  writeDirectly(stream, undefined, Buffer.from('through'))
  expect(String(stream.read())).toBe('through')
})
