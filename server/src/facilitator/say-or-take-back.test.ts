import { expect, test } from 'vitest'
import { sayOrTakeBack, saySettled } from './say-or-take-back.ts'
import type { Settled } from './settling.ts'

const broken = new Error('the database went away')

/** What came of it, and how often the success was taken back. */
async function saying(say: () => Promise<string>, backFails = false) {
  let backs = 0
  const takeBack = async () => {
    backs += 1
    if (backFails) throw new Error('and stays away')
  }
  const said = await sayOrTakeBack({ takeBack }, say).catch((error: unknown) => error)
  return { said, backs }
}

test('a success whose words could not be made is taken back, and what failed is told', async () => {
  const fail = () => Promise.reject(broken)
  expect(await saying(fail)).toEqual({ said: broken, backs: 1 })
  expect(await saying(fail, true)).toEqual({ said: broken, backs: 1 })
  expect(await saying(async () => 'paid')).toEqual({ said: 'paid', backs: 0 })
})

test('so is that of a settlement, and of one that is pending there is nothing to take back', async () => {
  let backs = 0
  const takeBack = async () => void (backs += 1)
  const settled = (kind: 'settled' | 'pending') =>
    ({ kind, takeBack }) as Partial<Settled> as Settled
  const fail = () => {
    throw broken
  }
  await expect(saySettled(settled('settled'), fail)).rejects.toBe(broken)
  expect(backs).toBe(1)
  await expect(saySettled(settled('pending'), fail)).rejects.toBe(broken)
  expect(await saySettled(settled('settled'), () => 'paid')).toBe('paid')
  expect(backs).toBe(1)
})
