import { describe, expect, test } from 'vitest'
import { isUnknownMethod } from './unknown-method.ts'

describe('what a node says of a method that it does not know', () => {
  test.each([
    [-32601, 'the method florin_sandbox does not exist/is not available'],
    [-32601, 'Method not found'],
    [-32600, 'Unsupported method: florin_sandbox. See available methods.'],
    [-32601, 'The method florin_sandbox is not supported.'],
    [-32004, 'method is not whitelisted'],
  ])('%d "%s"', (code, message) => {
    expect(isUnknownMethod({ code, message })).toBe(true)
  })

  test.each([
    [-32603, 'Internal error'],
    [-32005, 'limit exceeded'],
    [-32000, 'header not found'],
  ])('%d "%s" is something else', (code, message) => {
    expect(isUnknownMethod({ code, message })).toBe(false)
  })
})
