import { expect, test } from 'vitest'
import { isOwnFacilitator } from './own-facilitator.ts'

const OWN = 'https://pay.example/florin/x402'

test.each([
  OWN,
  `${OWN}/`,
  'https://PAY.example:443/florin/x402',
  'https://pay.example/florin/api/x402',
  'https://pay.example/florin/api/x402/',
])('%s is our own', (named) => {
  expect(isOwnFacilitator(OWN, named)).toBe(true)
})

test.each([
  'http://pay.example/florin/x402',
  'https://pay.example/x402',
  'https://pay.example/api/florin/x402',
  'https://pay.example:8443/florin/x402',
  'https://pay.example/florin/x402?a=b',
  'https://somebody@pay.example/florin/x402',
  'https://pay.example.evil.example/florin/x402',
])('%s is somebody else', (named) => {
  expect(isOwnFacilitator(OWN, named)).toBe(false)
})
