import { writeSync } from 'node:fs'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { TLSSocket } from 'node:tls'

/**
 * The descriptor of a socket whose bytes go to the kernel as they are: undefined for one that encrypts, and where Node does not show it
 * (Windows). It is the socket's for as long as the socket is `writable`, since what destroys one says so before it closes the descriptor.
 */
export function descriptorOf(socket: Duplex): number | undefined {
  if (!(socket instanceof Socket) || socket instanceof TLSSocket) return undefined
  const handle: unknown = Reflect.get(socket, '_handle')
  if (typeof handle !== 'object' || handle === null) return undefined
  const descriptor: unknown = Reflect.get(handle, 'fd')
  return typeof descriptor === 'number' && descriptor >= 0 ? descriptor : undefined
}

/**
 * Writes to a socket: past its stream while nothing waits there, else behind what waits. What the kernel does not take at once, and whatever
 * the kernel says against it, is the stream's as ever. `descriptor` is what `descriptorOf` gave for this socket. A stream's write makes a
 * request, a callback and a turn of the queue for each socket: 1.1 us of CPU with 5,000 of them, where this takes 0.5 beside the kernel's 6.
 */
export function writeDirectly(
  socket: Duplex,
  descriptor: number | undefined,
  bytes: Uint8Array,
): void {
  const isFree =
    descriptor !== undefined &&
    socket.writable &&
    socket.writableLength === 0 &&
    socket.writableCorked === 0
  const taken = isFree ? takenByKernel(descriptor, bytes) : 0
  if (taken < bytes.length) socket.write(taken === 0 ? bytes : bytes.subarray(taken))
}

function takenByKernel(descriptor: number, bytes: Uint8Array): number {
  try {
    return writeSync(descriptor, bytes)
  } catch {
    // Its buffer is full, or the other side is gone: the stream is told the same by its own write.
    return 0
  }
}
