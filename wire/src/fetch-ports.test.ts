import { expect, test } from 'vitest'
import { isBlockedPort } from './fetch-ports.ts'

const PORT_MAX = 65_535

// Asks no port: which ones are blocked is judged before anything is opened, and of the others none is tried.
test('every blocked port is one that fetch refuses by its number', async () => {
  const blocked = Array.from({ length: PORT_MAX }, (_, index) => index + 1).filter(isBlockedPort)
  expect(blocked).toHaveLength(82)
  for (const port of blocked) {
    const failure: unknown = await fetch(`http://127.0.0.1:${port}`).catch(
      (error: unknown) => error,
    )
    expect(failure, `${port}`).toMatchObject({ cause: { message: 'bad port' } })
  }
})
