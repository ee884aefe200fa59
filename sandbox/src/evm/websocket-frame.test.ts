import fc from 'fast-check'
import { expect, test } from 'vitest'
import { clientText, createFrameReader, serverText } from './websocket-frame.ts'

const LIMIT = 100_000

test('messages come out as they went in, however the stream is cut', () => {
  const messages = fc.array(fc.uint8Array({ maxLength: 70_000 }), { minLength: 1, maxLength: 4 })
  const property = fc.property(
    messages,
    fc.boolean(),
    fc.nat({ max: 5_000 }),
    (texts, asClient, cut) => {
      const write = asClient ? clientText : serverText
      const stream = Buffer.concat(texts.map((text) => write(Buffer.from(text))))
      const reader = createFrameReader(LIMIT)
      const step = cut + 1
      const out: Buffer[] = []
      for (let at = 0; at < stream.length; at += step) {
        const frames = reader.take(stream.subarray(at, at + step))
        if (frames === 'too-large') throw new Error('too large')
        out.push(...frames.map((frame) => frame.payload))
      }
      expect(out.map((payload) => payload.toString('hex'))).toEqual(
        texts.map((text) => Buffer.from(text).toString('hex')),
      )
    },
  )
  fc.assert(property, { numRuns: 60 })
})

test('a masked frame is unmasked (the example of RFC 6455, 5.7)', () => {
  const frames = createFrameReader(LIMIT).take(Buffer.from('818537fa213d7f9f4d5158', 'hex'))
  expect(frames).toMatchObject([{ isLast: true, opcode: 1, payload: Buffer.from('Hello') }])
})

test('a frame that announces more than the limit is refused before it is read', () => {
  const head = Buffer.from('81ff7fffffffffffffff', 'hex')
  expect(createFrameReader(LIMIT).take(head)).toBe('too-large')
})
